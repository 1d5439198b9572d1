# SPDX-License-Identifier: GPL-2.0
"""Small faults to put into a C file of this project: the house style is what is parsed.

    never, always   the condition of an if does not count
    dropped         one operand of && or || does not
    turned          == for !=, && for ||, true for false, or the reverse
    bound           < for <=, > for >=, or the reverse
    sum             + 1 for - 1, or the reverse
    returns 0       a return of anything else
    gone            a statement: a call, an assignment, a goto, break or continue; a lock
                    with all its unlocks in the function
    plain           an access without READ_ONCE(), WRITE_ONCE(), acquire or release
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """@edits: (from, to, text) in the original, in order."""
    file: str
    function: str
    kind: str
    what: str
    nth: int
    line: int
    edits: tuple

    @property
    def key(self):
        """The same as long as the function has this code."""
        nth = f" #{self.nth}" if self.nth > 1 else ""
        place = f"{self.file} {self.function}()" if self.function else self.file
        return f"{place} {self.kind}: {self.what}{nth}"

    def apply(self, text, start=0):
        """@text, which begins at @start of the original."""
        for begin, end, new in reversed(self.edits):
            begin, end = begin - start, end - start
            # lines keep their numbers, which WARN() and the like compile in
            text = text[:begin] + new + "\n" * text.count("\n", begin, end) + text[end:]
        return text


LITERALS = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
IDENTIFIER = r"[A-Za-z_]\w*"

LOCKS = {"lock": "unlock", "trylock": "unlock", "disable": "enable"}
# What only tells people something, and what is undone by the end of the process.
TALK = re.compile(r"(pr_\w+|print\w*|f?put[sc]|putchar|perror|warnx?|v?f?printf|lockdep_\w+|"
                  r"\w*assert\w*|BUILD_BUG_ON\w*|MODULE_\w+|might_sleep|static_assert)$")


def blank(text):
    """@text with spaces for comments, literals and directives, at the same places."""
    def spaces(match):
        return re.sub(r"[^\n]", " ", match[0])

    def literal(match):
        # a string stays a token
        return "0" + spaces(match)[1:] if match[0][0] in "\"'" else spaces(match)
    return DIRECTIVE.sub(spaces, LITERALS.sub(literal, text))


def functions(code):
    """(name, from, to) of the bodies: braces at the beginning of a line."""
    for match in re.finditer(r"^\{\n(.*?)^\}", code, re.S | re.M):
        head = code[:match.start()].rstrip()
        if not head.endswith(")"):
            continue
        name = re.search(rf"({IDENTIFIER})\s*$", code[:opening(code, len(head) - 1)])
        if name:
            yield name[1], match.start(1), match.end(1)


def opening(code, at):
    """Where the parenthesis is opened that is closed at @at."""
    depth = 0
    while at >= 0:
        depth += (code[at] == ")") - (code[at] == "(")
        if not depth:
            return at
        at -= 1
    return 0


def closing(code, at):
    depth = 0
    for i in range(at, len(code)):
        depth += (code[i] == "(") - (code[i] == ")")
        if not depth:
            return i
    return len(code)


def operand_end(code, at):
    """Where the operand that begins at @at ends."""
    depth = 0
    while at < len(code):
        c = code[at]
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if depth < 0:
                return at
        elif not depth and (c in "?:;," or code[at:at + 2] in ("&&", "||")):
            return at
        at += 1
    return at


def operand_begin(code, at):
    """Where the operand that ends at @at begins."""
    depth = 0
    while at > 0:
        c = code[at - 1]
        if c in ")]}":
            depth += 1
        elif c in "([{":
            depth -= 1
            if depth < 0:
                return at
        elif not depth and (c in "?:;," or code[at - 2:at] in ("&&", "||") or
                            c == "=" and code[at - 2] not in "=!<>" and code[at] != "="):
            return at
        elif not depth and code[max(at - 6, 0):at] == "return":
            return at
        at -= 1
    return at


def conditions(code, begin, end):
    for match in re.compile(r"\bif\s*\(").finditer(code, begin, end):
        at = match.end()
        close = closing(code, at - 1)
        yield "never", ((at, at, "0 && ("), (close, close, ")"))
        yield "always", ((at, at, "1 || ("), (close, close, ")"))


def operators(code, begin, end):
    for match in re.compile(r"&&|\|\||[=!]=|[<>]=?|\b(?:true|false)\b").finditer(code, begin, end):
        old, at, after = match[0], match.start(), match.end()
        if old in ("&&", "||"):
            yield "turned", ((at, after, "||" if old == "&&" else "&&"),)
            first, last = operand_begin(code, at), operand_end(code, after)
            yield "dropped", ((first, after, " "),)
            yield "dropped", ((at, last, ""),)
        elif old in ("==", "!="):
            yield "turned", ((at, after, "!=" if old == "==" else "=="),)
        elif old in ("true", "false"):
            yield "turned", ((at, after, "false" if old == "true" else "true"),)
        # neither a shift nor an arrow
        elif code[at - 1] not in "-<>" and code[after] not in "<>=" and code[at - 1:at] == " ":
            yield "bound", ((at, after, old[0] if len(old) == 2 else old + "="),)


def sums(code, begin, end):
    for match in re.compile(r"(?<=[\w)\]] )[+-](?= 1\b(?!\.))").finditer(code, begin, end):
        new = "-" if match[0] == "+" else "+"
        yield "sum", ((match.start(), match.end(), new),)


def returns(code, begin, end):
    for match in re.compile(r"\breturn\s+([^;]+);").finditer(code, begin, end):
        if match[1].strip() not in ("0", "NULL", "true", "false"):
            yield "returns 0", ((match.start(1), match.end(1), "0"),)


def statements(code, begin, end):
    """(from, to) of simple statements, the semicolon included."""
    at, depth = begin, 0
    for i in range(begin, end):
        c = code[i]
        depth += (c == "(") - (c == ")")
        if depth:
            continue
        if c == ";":
            text = code[at:i]
            yield at + len(text) - len(text.lstrip()), i + 1
            at = i + 1
        elif c in "{}":
            at = i + 1
        elif c == ":" and re.search(r"(case\b[^?]*|default|^\s*\w+)$", code[at:i]):
            at = i + 1
        elif c == ")" and re.match(r"\s*(if|for|while|switch|\w*for_each\w*)\s*\(", code[at:i]):
            at = i + 1
        elif code[i - 3:i + 1] == "else":
            at = i + 1


def unlock_of(name):
    for lock, unlock in LOCKS.items():
        if re.search(rf"(^|_){lock}($|_)", name) and "unlock" not in name:
            return re.sub(rf"(^|_){lock}($|_)", rf"\g<1>{unlock}\g<2>", name).replace(
                "irqsave", "irqrestore").replace("_killable", "").replace("_interruptible", "")
    return None


def gone(code, begin, end):
    simple = list(statements(code, begin, end))
    for first, last in simple:
        text = code[first:last]
        call = re.match(rf"(?:\(void\)\s*)?({IDENTIFIER})\s*\(", text)
        if call and closing(code, first + call.end() - 1) == last - 2:
            name = call[1]
            if TALK.match(name) or name in ("va_start", "va_end", "return") or \
                    re.search(r"unlock|enable$", name):
                continue
            edits = [(first, last, "{}")]
            unlock = unlock_of(name)
            if unlock:
                edits += [(a, b, "{}") for a, b in simple
                          if re.match(rf"{unlock}\s*\(", code[a:b]) and a > first]
            yield "gone", tuple(edits)
        elif re.match(r"(goto \w+|break|continue);", text) or \
                re.match(r"[\w>.*\[\]()&+-]+\s*([-+|&^]|<<|>>)?=\s*[^=]", text) and \
                not re.match(r"\w+ ", text.split("=")[0].rstrip() + "") or \
                re.match(r"(\w|->|\.|\[|\])+(\+\+|--);", text):
            yield "gone", ((first, last, "{}"),)


def plain(code, begin, end):
    accesses = re.compile(r"\b(READ_ONCE|WRITE_ONCE|smp_load_acquire|smp_store_release|"
                          r"rcu_assign_pointer|rcu_dereference\w*)\s*\(")
    for match in accesses.finditer(code, begin, end):
        name, close = match[1], closing(code, match.end() - 1)
        comma = operand_end(code, match.end())
        first = code[match.end():comma]
        if name in ("WRITE_ONCE", "rcu_assign_pointer", "smp_store_release"):
            target = f"*({first})" if name.startswith("smp") else first
            if name == "rcu_assign_pointer":
                target = f"*(void **)&{first}"
            yield "plain", ((match.start(), close + 1,
                             f"{target} = {code[comma + 1:close].strip()}"),)
        elif name == "smp_load_acquire":
            yield "plain", ((match.start(), close + 1, f"*({first})"),)
        elif name == "READ_ONCE":
            yield "plain", ((match.start(), match.end(), "("),)


FINDERS = (conditions, operators, sums, returns, gone, plain)


def shown(text, edits):
    """The code around the first edit, and what becomes of it."""
    begin, end = edits[0][0], edits[-1][1] if len(edits) == 2 and not edits[0][2].endswith("{}") \
        else edits[0][1]
    line = text.rfind("\n", 0, begin) + 1
    until = text.find("\n", end)
    before, after = text[line:begin], text[end:until]
    old = " ".join(text[line:until].split())
    new = edits[0][2] + (text[edits[0][1]:edits[-1][0]] + edits[-1][2]
                         if end != edits[0][1] else "")
    return f"{old} -> {' '.join((before + new + after).split())}"


def mutants_of(file, text):
    """All of a file, each text once."""
    code = blank(text)
    seen = {}
    for function, begin, end in functions(code):
        texts = set()
        for finder in FINDERS:
            for kind, edits in finder(code, begin, end):
                what = shown(text, edits)
                nth = seen.get((function, kind, what), 0) + 1
                mutant = Mutant(file, function, kind, what, nth,
                                text.count("\n", 0, edits[0][0]) + 1, edits)
                changed = "".join(mutant.apply(text[begin:end], begin).split())
                if changed not in texts:
                    texts.add(changed)
                    seen[function, kind, what] = nth
                    yield mutant
