"""Web pages that need no network: texts, sortable tables and interactive pictures, drawn by bokeh."""
