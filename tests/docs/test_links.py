"""Links of the pages to files of the repository lead somewhere.  (References within docs are checked by Sphinx too.)"""

from markdown_it import MarkdownIt


def links(page):
    """The targets of the links of a page."""
    for token in MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8")):
        for part in token.children or ():
            if part.type in ("link_open", "image"):
                yield str(part.attrs.get("href", part.attrs.get("src")))


def test_links_to_files_lead_to_files_that_exist(page):
    local = [link.split("#")[0] for link in links(page) if "://" not in link and not link.startswith(("#", "mailto:"))]
    missing = [link for link in local if not (page.parent / link).exists()]
    assert not missing
