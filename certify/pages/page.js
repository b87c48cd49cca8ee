"use strict";
// Fills the tables and pictures of bokeh with the rows of the page, and does what the controls ask for.
(async () => {
  const sections = JSON.parse(document.getElementById("page").textContent);
  // Colours that are told apart without red-green vision (M. Okabe, K. Ito, Color Universal Design, 2008).
  const INK = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#777777"];
  const LEGEND = 18, LABEL = 40, TOLD = 90;

  // A cell shows the exact text of a number, which is sorted by its binary64.
  const formatter = Bokeh.Models.get("StringFormatter").prototype, plain = formatter.doFormat;
  formatter.doFormat = function (row, cell, value, column, item) {
    return plain.call(this, row, cell, item[`${column.field} text`] ?? value, column, item);
  };

  // A document of bokeh's, filled before it is shown at the place.
  const { Document } = Bokeh.require("document");
  async function shown(json, place, fill) {
    const made = Document.from_json(json), box = document.createElement("div");
    fill(made);
    place.replaceChildren(box);
    const views = await Bokeh.embed.add_document_standalone(made, box, [box]);
    return [made, views.get(made.roots()[0])];
  }

  // A column is {name, near, exact} or {name, words, codes}: null or -1 is absent.  Here: values to sort by, and texts.
  function unpacked(packed) {
    if (packed.codes) {
      const values = packed.codes.map(code => (code < 0 ? "" : packed.words[code]));
      return { name: packed.name, numeric: false, values, texts: values };
    }
    const values = packed.near.map(near => (near === null ? NaN : Number(near)));
    const texts = packed.near.map((near, row) => packed.exact?.[row] ?? (near === null ? "" : String(near)));
    return { name: packed.name, numeric: true, values, texts };
  }

  // bokeh puts what is absent first in a falling order: whoever asks for the greatest wants a value.
  let wrapped = false;
  function absentLast(view) {
    if (wrapped) return;
    wrapped = true;
    const provider = Object.getPrototypeOf(view.data), sort = provider.sort;
    provider.sort = function (columns) {
      sort.call(this, columns);
      if (!columns.length) return;
      const values = this.source.data[columns[0].sortCol.field], known = row => values[row] !== "" && !Number.isNaN(values[row]);
      this.index = [...this.index.filter(known), ...this.index.filter(row => !known(row))];
    };
  }

  const cut = (text, most) => (text.length > most ? `${text.slice(0, most)}…` : text);

  // The ends of cells: halfway between neighbours, on the axis as it is drawn.
  function edged(places, log) {
    const [to, from] = log ? [Math.log, Math.exp] : [v => v, v => v], at = places.map(to), half = at.length > 1 ? 0 : 0.5;
    const inner = at.slice(1).map((mark, place) => (at[place] + mark) / 2), last = at.length - 1;
    const first = half ? at[0] - half : 2 * at[0] - inner[0], end = half ? at[0] + half : 2 * at[last] - inner[last - 1];
    return [first, ...inner, end].map(from);
  }

  // Of each group and place across, the row with the least value; and how many rows it stands before.
  function folded(rows, x, y, by) {
    const groups = new Map();
    let behind = 0;
    for (const row of rows) {
      const [p, q] = [x.values[row], y.values[row]];
      if (Number.isNaN(p) || Number.isNaN(q)) continue;
      const name = by ? by.texts[row] : "";
      if (!groups.has(name)) groups.set(name, new Map());
      const there = groups.get(name).get(p);
      if (there !== undefined) behind++;
      if (there === undefined || q < y.values[there]) groups.get(name).set(p, row);
    }
    const names = [...groups.keys()];
    if (by?.numeric) {
      const first = new Map(names.map(name => [name, by.values[groups.get(name).values().next().value]]));
      names.sort((a, b) => first.get(a) - first.get(b));
    } else names.sort();
    return [new Map(names.map(name => [name, [...groups.get(name)].sort((a, b) => a[0] - b[0])])), behind];
  }

  for (const section of sections) {
    const part = document.getElementById(section.name), at = name => part.querySelector(`.${name}`);
    const columns = section.columns.map(unpacked), named = new Map(columns.map(column => [column.name, column]));
    let rows = [], table = null, picture = null, key = null;

    function data(picked, also) {
      const found = { ...also };
      columns.forEach((column, place) => {
        found[`c${place} text`] = picked.map(row => cut(column.texts[row], TOLD));
      });
      return found;
    }

    function keep() {
      const wanted = at("filter").value.trim(), match = /^(.+?)\s*(!?=)\s*(.*)$/.exec(wanted);
      const column = match && named.get(match[1]), all = Array.from({ length: section.count }, (_, row) => row);
      rows = all.filter(row => {
        if (!wanted) return true;
        if (column) return (column.texts[row] === match[3]) === (match[2] === "=");
        return columns.some(other => other.texts[row].includes(wanted));
      });
      at("count").textContent = `${rows.length.toLocaleString("en")} of ${section.count.toLocaleString("en")} rows`;
      if (table) table.get_model_by_name("filter").indices = rows.length === section.count ? null : rows;
      if (section.chart) later(draw);
    }

    // One picture after the other, whatever is asked for meanwhile.
    let busy = Promise.resolve();
    const later = work => { busy = busy.then(work); return busy; };

    async function draw() {
      const [x, y, by] = ["x", "y", "by"].map(name => named.get(at(name).value));
      const kind = at("kind").value, scales = ["log-x", "log-y"].map(name => (at(name).checked ? "log" : "linear"));
      const [groups, behind] = folded(rows, x, y, by);
      const [fill, count, hidden] = (kind === "curves" ? curves : heatmap)(groups, x, y, by, scales);
      const counted = (number, one, many) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
      const told = count ? [] : [`No row has both ${x.name} and ${y.name} to draw.`];
      if (count && behind) told.push(`Where several rows fall together the least value is drawn: ${counted(behind, "other is", "others are")} not seen.`);
      if (hidden) told.push(`${counted(hidden, "value has", "values have")} no place on these scales.`);
      at("told").textContent = told.join(" ");
      const wanted = count ? [kind, ...scales].join(" ") : null;
      const complete = made => {
        const figure = made.get_model_by_name("figure");
        figure.below[0].axis_label = x.name;
        figure.left[0].axis_label = kind === "curves" ? y.name : by?.name ?? "";
        figure.title.text = kind === "curves" ? "" : y.name;
        fill(made);
      };
      if (key !== wanted) picture?.clear();
      if (wanted === null) picture = null;
      else if (key === wanted) complete(picture);
      else [picture] = await shown(section.figures[wanted], at("picture"), complete);
      key = wanted;
    }

    // What a scale has no place for is not drawn.
    const drawable = (value, scale) => Number.isFinite(value) && (scale === "linear" || value > 0);

    function curves(groups, x, y, by, scales) {
      const lines = { xs: [], ys: [], ink: [], dash: [], label: [] }, dots = { x: [], y: [], ink: [] }, picked = [];
      const fits = ([p, row]) => drawable(p, scales[0]) && drawable(y.values[row], scales[1]);
      let count = 0;
      for (const [name, line] of groups) {
        const ink = INK[count % INK.length];
        lines.xs.push(line.map(one => (fits(one) ? one[0] : NaN)));
        lines.ys.push(line.map(one => (fits(one) ? y.values[one[1]] : NaN)));
        lines.ink.push(ink);
        lines.dash.push(count % (2 * INK.length) < INK.length ? "solid" : "dashed");
        const own = count < LEGEND || groups.size === LEGEND + 1;
        lines.label.push(own ? cut(by ? `${by.name} ${name}` : y.name, LABEL) : `and ${groups.size - LEGEND} more`);
        for (const [p, row] of line.filter(fits)) {
          dots.x.push(p);
          dots.y.push(y.values[row]);
          dots.ink.push(ink);
          picked.push(row);
        }
        count++;
      }
      const fill = made => {
        made.get_model_by_name("lines").data = lines;
        made.get_model_by_name("points").data = data(picked, dots);
      };
      return [fill, picked.length, [...groups.values()].reduce((sum, line) => sum + line.length, 0) - picked.length];
    }

    function heatmap(groups, x, y, by, scales) {
      const across = [...new Set([...groups.values()].flatMap(line => line.map(one => one[0])))]
        .filter(p => drawable(p, scales[0])).sort((a, b) => a - b);
      const edges = edged(across, scales[0] === "log"), index = new Map(across.map((p, place) => [p, place]));
      const cells = { group: [], left: [], right: [], value: [] }, picked = [], factors = [];
      let [low, high, hidden] = [Infinity, -Infinity, 0];
      for (const [name, line] of groups) {
        factors.push(cut(name || y.name, LABEL));
        for (const [p, row] of line) {
          const value = y.values[row], place = index.get(p);
          if (place === undefined || !drawable(value, scales[1])) hidden++;
          if (place === undefined) continue;
          cells.group.push(factors.at(-1));
          cells.left.push(edges[place]);
          cells.right.push(edges[place + 1]);
          cells.value.push(drawable(value, scales[1]) ? value : NaN);
          picked.push(row);
          if (drawable(value, scales[1])) [low, high] = [Math.min(low, value), Math.max(high, value)];
        }
      }
      if (low > high) [low, high] = [1, 10];
      if (low === high) [low, high] = scales[1] === "log" ? [low / 2, high * 2] : [low - 0.5, high + 0.5];
      const fill = made => {
        const figure = made.get_model_by_name("figure");
        made.get_model_by_name("colors").setv({ low, high });
        figure.y_range.factors = [...new Set(factors)].reverse();
        figure.height = Math.min(Math.max(420, 90 + 16 * factors.length), 4000);
        made.get_model_by_name("cells").data = data(picked, cells);
      };
      return [fill, picked.length, hidden];
    }

    if (section.table) {
      let view;
      [table, view] = await shown(section.table, at("table"), made => {
        const filled = {};
        columns.forEach((column, place) => {
          filled[`c${place}`] = column.values;
          if (column.numeric) filled[`c${place} text`] = column.texts;
        });
        made.get_model_by_name("rows").data = filled;
      });
      absentLast(view);
    }
    if (section.chart) {
      const { chart } = section, fill = (name, options, value) => {
        at(name).replaceChildren(...options.map(option => new Option(option, option)));
        at(name).value = value;
      };
      const numbers = columns.filter(column => column.numeric).map(column => column.name);
      fill("x", numbers, chart.x);
      fill("y", numbers, chart.y);
      fill("by", ["", ...columns.map(column => column.name)], chart.by ?? "");
      at("kind").value = chart.kind;
      const known = named.get(chart.x).values.filter(Number.isFinite);
      const [low, high] = known.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity]);
      at("log-x").checked = chart.logX ?? (low > 0 && high > 50 * low);
      at("log-y").checked = chart.logY;
      for (const name of ["kind", "x", "y", "by", "log-x", "log-y"]) at(name).addEventListener("change", () => later(draw));
    }
    at("filter").addEventListener("input", keep);
    keep();
    await busy;
  }
  document.body.dataset.ready = "yes";
})();
