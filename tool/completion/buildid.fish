# SPDX-License-Identifier: GPL-2.0
# Completion of buildid and buildid-mon for fish. Commands and options are those of
# `buildid help`; what an option takes is the same in every command, so its value is
# completed by its name alone.

function __buildid_is
    set -l words (commandline -opc)
    test (count $words) -gt 1 && contains -- $words[2] $argv
end

function __buildid_pids
    set -l before (string match -r '.*,' -- (commandline -ct))
    printf "$before%s\n" (__fish_complete_pids)
end

# The options of complete for the value of an option of this name.
function __buildid_value
    switch $argv[1]
        case pid
            printf '%s\n' -x -a '(__buildid_pids)'
        case uid
            printf '%s\n' -x -a '(__fish_complete_users)'
        case cgroup dir
            printf '%s\n' -x -a '(__fish_complete_directories)'
        case format
            printf '%s\n' -x -a 'maps unstrip json'
        case call-graph
            printf '%s\n' -x -a 'fp dwarf lbr'
        case source
            printf '%s\n' -x -a 'module perf'
        case kind
            printf '%s\n' -x -a 'gnu go htlhash fsverity cookie none any'
        case comm
            printf '%s\n' -x -a '(ps -eo comm= | sort -u)'
        case input log output files-from html flamegraph
            printf '%s\n' -r -F
        case '*'
            printf '%s\n' -x
    end
end

function __buildid_add_options
    set -l line
    for line in (buildid help $argv[1] 2>/dev/null)
        string match -qr '^ +(-(?<letter>.), )?--(?<name>[a-z][a-z-]*)(=(?<value>\S+))? +(?<text>\S.*)' -- $line
        or continue
        set -l options -l $name -d $text
        test -n "$letter" && set -a options -s $letter
        test -n "$value" && set -a options (__buildid_value $name)
        complete -c buildid -n "__buildid_is $argv[1]" $options
    end
end

complete -c buildid -f
complete -c buildid -n __fish_is_first_arg -l help -d 'print help'
complete -c buildid -n __fish_is_first_arg -l version -d 'print the version'
complete -c buildid -n __fish_is_first_arg -a help -d 'print help'
complete -c buildid -n __fish_is_first_arg -a version -d 'print the version'

for line in (buildid help 2>/dev/null)
    set -l found (string match -r '^  ([a-z]+) +([a-z].*)' -- $line)
    test (count $found) -gt 0 || continue
    complete -c buildid -n __fish_is_first_arg -a $found[2] -d $found[3]
    complete -c buildid -n '__buildid_is help' -a $found[2] -d $found[3]
    __buildid_add_options $found[2]
end

complete -c buildid -n '__buildid_is id cookie users annotate report bundle unbundle list mon store' -F
complete -c buildid -n '__buildid_is maps stale' -a '(__fish_complete_pids)'
complete -c buildid -n '__buildid_is record' -a '(__fish_complete_subcommand --fcs-skip=2 \
    -o --output --ring-size -p --pid -u --uid --cgroup -e --event -F --freq --call-graph)'
complete -c buildid -n '__buildid_is perf' -a '(__fish_complete_subcommand --fcs-skip=1)'
complete -c buildid-mon -w 'buildid mon'
