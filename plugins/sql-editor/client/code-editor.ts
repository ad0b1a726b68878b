import { acceptCompletion, autocompletion, closeBrackets, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { schemaCompletionSource } from "@codemirror/lang-sql";
import { HighlightStyle, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightSpecialChars, keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { columnsOfTablesNamed, schemaOf } from "./schema.js";
import { editorSql } from "./sql-dialect.js";

/**
 * Replaces a text area by an editor. The text area remains in the form, and both pass changes to each other. Styles
 * inside a shadow root are style sheet objects, which the Content-Security-Policy of the page does not restrict.
 */
export function openEditor(field: HTMLTextAreaElement): void {
  const hadFocus = document.activeElement === field;
  const host = document.createElement("div");
  host.className = "sql-code";
  field.after(host);
  const root = host.attachShadow({ mode: "open" });
  const view = new EditorView({ root, parent: root, state: stateOf(field) });
  field.addEventListener("input", () => show(view, field.value));
  // Going back or a reset may fill the form again.
  field.form?.addEventListener("reset", () => setTimeout(() => show(view, field.value)));
  host.parentElement?.classList.add("has-editor");
  if (hadFocus) view.focus();
}

function stateOf(field: HTMLTextAreaElement): EditorState {
  const schema = schemaOf(field);
  const { dialect, words } = editorSql(field);
  const run = (): boolean => {
    field.form?.requestSubmit();
    return true;
  };
  return EditorState.create({
    doc: field.value,
    selection: { anchor: field.selectionStart, head: field.selectionEnd },
    extensions: [
      keymap.of([
        { key: "Mod-Enter", run },
        { key: "Tab", run: acceptCompletion },
        ...completionKeymap,
        ...historyKeymap,
        ...defaultKeymap,
      ]),
      history(),
      drawSelection(),
      highlightSpecialChars(),
      bracketMatching(),
      closeBrackets(),
      autocompletion(),
      typeOverSelection,
      dialect.extension,
      [schemaCompletionSource({ dialect, schema }), columnsOfTablesNamed(schema), words].map((autocomplete) =>
        dialect.language.data.of({ autocomplete }),
      ),
      syntaxHighlighting(colours),
      look,
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ "aria-label": "SQL", spellcheck: "false" }),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (!docChanged) return;
        field.value = state.doc.toString();
        field.dispatchEvent(new Event("input", { bubbles: true }));
      }),
    ],
  });
}

function show(view: EditorView, text: string): void {
  const { doc } = view.state;
  if (doc.toString() !== text) view.dispatch({ changes: { from: 0, to: doc.length, insert: text } });
}

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: "var(--sql-keyword)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--sql-text)" },
  { tag: [tags.number, tags.bool, tags.null, tags.special(tags.name)], color: "var(--sql-value)" },
  { tag: tags.comment, color: "var(--ink-soft)" },
]);

const look = EditorView.theme({
  "&": {
    font: "var(--text-data) / 1.55 var(--mono)",
    minHeight: "6.5em",
    maxHeight: "60vh",
    color: "var(--ink)",
  },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { font: "inherit", overflow: "auto" },
  ".cm-content": { padding: "var(--space-2) 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 var(--space-3)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    background: "color-mix(in srgb, var(--accent) 30%, transparent) !important",
  },
  ".cm-matchingBracket": { background: "var(--accent-soft) !important", outline: "1px solid var(--accent)" },
  ".cm-tooltip": {
    background: "var(--paper)",
    color: "var(--ink)",
    border: "1px solid var(--line)",
    borderRadius: "var(--radius)",
    boxShadow: "var(--shadow)",
  },
  ".cm-tooltip-autocomplete > ul": { font: "var(--text-data) / 1.5 var(--mono)" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    background: "var(--accent-soft)",
    color: "var(--ink)",
  },
  ".cm-completionDetail": { color: "var(--ink-soft)", fontFamily: "var(--sans)" },
});

/**
 * Lets the editor replace the selection by the typed text. Otherwise, Chromium gives the new text the look of the old
 * in a style attribute, which the Content-Security-Policy of pages forbids and reports.
 */
const typeOverSelection = EditorView.domEventHandlers({
  beforeinput({ inputType, data, isComposing }, view) {
    const { state } = view;
    const { from, to, empty } = state.selection.main;
    if (inputType !== "insertText" || data === null || isComposing || empty || state.readOnly) return false;
    const replacement = () =>
      state.update(state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
    // Other handlers may handle the input: a bracket is put around the selection.
    const handlers = state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, from, to, data, replacement))) view.dispatch(replacement());
    return true;
  },
});
