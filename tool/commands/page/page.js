// SPDX-License-Identifier: GPL-2.0
// The page is whole without this: it zooms, searches and walks. All data are the elements.
"use strict";
(function () {
	const graph = document.querySelector("svg.flame");
	const all = graph ? graph.viewBox.baseVal.width : 0;
	const row = 18, letter = 6.6;
	const by = (id) => document.getElementById(id);
	const frames = Array.from(graph ? graph.querySelectorAll("g.f") : [], (element) => {
		const rect = element.querySelector("rect");
		const title = element.querySelector("title").textContent;

		return {
			element, rect, title,
			text: element.querySelector("text"),
			name: title.split(" · ")[0],
			x: Number(rect.getAttribute("x")),
			y: Number(rect.getAttribute("y")),
			width: Number(rect.getAttribute("width")),
		};
	});
	const frame_of = new Map(frames.map((frame) => [frame.element, frame]));
	const slack = 0.011;	// of coordinates with two digits
	let zoomed = null;

	function fit(name, width) {
		const room = Math.floor((width > 6 ? width - 6 : 0) / letter);
		const letters = Array.from(name);

		if (room < 3)
			return "";
		return letters.length <= room ? name : letters.slice(0, room - 1).join("") + "…";
	}

	function place(frame, x, width) {
		frame.rect.setAttribute("x", x.toFixed(2));
		frame.rect.setAttribute("width", Math.max(width, 0).toFixed(2));
		frame.text.setAttribute("x", (x + 3).toFixed(2));
		frame.text.textContent = fit(frame.name, width);
	}

	// What is around @to keeps its row, and takes all the width if it is below.
	function zoom(to) {
		const from = to ? to.x : 0, width = to ? to.width : all, scale = all / width;

		zoomed = to;
		for (const frame of frames) {
			const below = to && frame.y > to.y && frame.x <= from + slack &&
				frame.x + frame.width >= from + width - slack;
			const inside = frame.x >= from - slack &&
				frame.x + frame.width <= from + width + slack && !(to && frame.y > to.y);

			frame.element.classList.toggle("off", !below && !inside);
			frame.element.classList.toggle("up", Boolean(below));
			if (below)
				place(frame, 0, all);
			else if (inside)
				place(frame, (frame.x - from) * scale, frame.width * scale);
		}
	}

	// Samples in frames that match, each once: not those above another that matches.
	function matched(found) {
		const at = found.slice().sort((a, b) => a.x - b.x || b.width - a.width);
		let end = -1, sum = 0;

		for (const frame of at) {
			if (frame.x + frame.width <= end + slack)
				continue;
			sum += frame.width;
			end = frame.x + frame.width;
		}
		return sum / all;
	}

	function search(text) {
		const wanted = text.trim().toLowerCase();
		const is = (what) => wanted && what.toLowerCase().includes(wanted);
		const found = frames.filter((frame) => is(frame.title));

		for (const frame of frames)
			frame.element.classList.toggle("m", found.includes(frame));
		for (const part of document.querySelectorAll(".s"))
			part.classList.toggle("off", Boolean(wanted) && !is(part.textContent));
		if (by("found"))
			by("found").textContent = !wanted ? "" : graph ?
				(100 * matched(found)).toFixed(1) + "% of samples" : count_shown();
	}

	function count_shown() {
		const count = document.querySelectorAll(".s:not(.off)").length;

		return count === 1 ? "1 found" : count + " found";
	}

	function about(frame) {
		if (by("about"))
			by("about").textContent = frame ? frame.title : "";
	}

	// The frame beside @from: one row up or down, or the next one of its row.
	function neighbour(from, key) {
		const rows = { ArrowUp: -row, ArrowDown: row }[key];
		const shown = frames.filter((frame) => !frame.element.classList.contains("off"));
		const line = shown.filter((frame) => frame.y === from.y + (rows || 0))
			.sort((a, b) => a.x - b.x);

		if (key === "ArrowLeft")
			return line[line.indexOf(from) - 1];
		if (key === "ArrowRight")
			return line[line.indexOf(from) + 1];
		return line.find((frame) => key === "ArrowUp" ?
			frame.x >= from.x - slack && frame.x < from.x + from.width - slack :
			frame.x <= from.x + slack && frame.x + frame.width > from.x + slack);
	}

	function key(event) {
		const frame = frame_of.get(document.activeElement);
		let next;

		if (event.key === "/" && by("q") && document.activeElement !== by("q")) {
			by("q").focus();
		} else if (event.key === "Escape") {
			zoom(null);
			if (by("q")) {
				by("q").value = "";
				search("");
			}
		} else if (frame && event.key === "Enter") {
			zoom(frame);
		} else if (frame && event.key.startsWith("Arrow")) {
			next = neighbour(frame, event.key);
			if (next)
				next.element.focus();
		} else {
			return;
		}
		event.preventDefault();
	}

	// What a cell is sorted by: a number that it begins with, or else its text.
	function rank(row, column) {
		const text = row.cells[column] ? row.cells[column].textContent.trim() : "";
		const number = /^[-+]?[0-9.]+%?$/.test(text) ? parseFloat(text) : NaN;

		return { text, number };
	}

	function compare(a, b) {
		if (isNaN(a.number) !== isNaN(b.number))
			return isNaN(a.number) ? 1 : -1;
		return isNaN(a.number) ? a.text.localeCompare(b.text) : b.number - a.number;
	}

	// Numbers from the largest, texts from the first letter, and then the other way.
	function sort(header) {
		const column = header.cellIndex, body = header.closest("table").tBodies[0];
		const again = header.getAttribute("aria-sort") === "descending";
		const rows = Array.from(body.rows, (row) => ({ row, rank: rank(row, column) }));

		rows.sort((a, b) => again ? compare(b.rank, a.rank) : compare(a.rank, b.rank));
		for (const other of header.parentNode.cells)
			other.removeAttribute("aria-sort");
		header.setAttribute("aria-sort", again ? "ascending" : "descending");
		body.append(...rows.map((one) => one.row));
	}

	function make_sortable(header) {
		const button = document.createElement("button");

		button.type = "button";
		button.append(...header.childNodes);
		button.addEventListener("click", () => sort(header));
		header.append(button);
	}

	function take_fragment() {
		const wanted = /^#q=(.*)$/.exec(location.hash);

		if (wanted && by("q")) {
			by("q").value = decodeURIComponent(wanted[1]);
			search(by("q").value);
		}
	}

	for (const frame of frames) {
		frame.element.addEventListener("click", () => zoom(frame === zoomed ? null : frame));
		frame.element.addEventListener("focus", () => about(frame));
		frame.element.addEventListener("mouseenter", () => about(frame));
	}
	document.addEventListener("keydown", key);
	for (const header of document.querySelectorAll("table.sort th:not(:empty)"))
		make_sortable(header);
	if (by("bar")) {
		by("bar").hidden = false;
		by("reset").hidden = !graph;
		by("keys").hidden = !graph;
		by("bar").addEventListener("submit", (event) => event.preventDefault());
		by("q").addEventListener("input", () => search(by("q").value));
		by("reset").addEventListener("click", () => zoom(null));
		window.addEventListener("hashchange", take_fragment);
		take_fragment();
	}
})();
