"""What mkdocs adds to the Markdown of `docs/`: the table's seal and fonts, drawn cards, linked clauses, a language switch.

The Markdown stays what GitHub shows; everything here works on the pages that are made of it.
"""

from __future__ import annotations

from pathlib import Path

import chapters
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
PUBLIC = ROOT / "web" / "public"
BUILT = ROOT / "src" / "dasan" / "server" / "static" / "assets"

FONTS = {
    "source-sans-3": "source-sans-3-latin-wght-normal-*.woff2",
    "source-serif-4-400": "source-serif-4-latin-400-normal-*.woff2",
    "source-serif-4-600": "source-serif-4-latin-600-normal-*.woff2",
}
"""The fonts of the built page, by the names that `assets/table.css` asks for."""

HOME = "index.md"


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the seal, the fonts and their licence from the browser table, so that the repository holds each once."""
    shared = {"seal.svg": PUBLIC / "seal.svg", "fonts/fonts.txt": PUBLIC / "fonts.txt"}
    for name, pattern in FONTS.items():
        built = sorted(BUILT.glob(pattern))
        if not built:
            raise PluginError(
                f"{BUILT} holds no {pattern}: build the browser table first, with `make play` or `make test`"
            )
        shared[f"fonts/{name}.woff2"] = built[-1]
    for name, path in shared.items():
        files.append(File.generated(config, f"assets/{name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Give the home page the whole width. Front matter would do that too, but GitHub prints it."""
    if page.file.src_uri == HOME:
        page.meta["hide"] = ["navigation", "toc", "path"]
    return markdown


def on_page_content(html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Draw the cards of every page; link the clauses of the rules, and the languages of a page that has several."""
    here = page.file.src_uri
    language = chapters.language_of(here)
    if language is None:
        return chapters.drawn(html)
    if not here.startswith("rules/"):
        return chapters.in_language(chapters.drawn(html), here, language)
    if here != "rules/index.md":
        page.meta["hide"] = ["toc"]
    return chapters.chapter(html, here, language)
