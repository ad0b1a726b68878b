import { EditorView } from "@codemirror/view";

/**
 * Lets the editor replace the selection by the typed text. Otherwise, Chromium gives the new text the look of the old
 * in a style attribute, which the Content-Security-Policy of pages forbids and reports.
 */
export const typeOverSelection = EditorView.domEventHandlers({
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
