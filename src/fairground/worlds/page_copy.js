// The state of a document that a copy needs, as plain data, and the reverse. Elements are named by their position.
(() => {
  const all = [...document.querySelectorAll("*")];
  const inputs = all.filter((element) => element.matches("input, textarea, select"));
  const place = (node) => {
    const parent = node.nodeType === Node.ELEMENT_NODE ? node : node.parentNode;
    return [all.indexOf(parent), parent === node ? -1 : [...parent.childNodes].indexOf(node)];
  };
  const node = ([parent, child]) => (child < 0 ? all[parent] : all[parent].childNodes[child]);
  const text = (element) => element.selectionStart !== undefined && element.selectionStart !== null;

  const field = (element) => ({
    value: element.type === "file" ? "" : element.value,
    checked: element.checked ?? null,
    chosen: [...(element.options ?? [])].map((option) => option.selected),
    caret: text(element) ? [element.selectionStart, element.selectionEnd, element.selectionDirection] : null,
  });
  const selected = () => {
    const { rangeCount, anchorNode, anchorOffset, focusNode, focusOffset } = getSelection();
    if (!rangeCount || text(document.activeElement)) return null; // a field has its own
    return [place(anchorNode), anchorOffset, place(focusNode), focusOffset];
  };

  const entries = () => {
    const states = navigation.entries().map((entry) => entry.getState() ?? null);
    const { index } = navigation.currentEntry;
    if (states[index]) states[index].scrolled = scrollY; // the page may not have marked it yet
    const documents = [...new Set(states.map((state) => state?.document))];
    return states.map((state) => state && { ...state, document: documents.indexOf(state.document) });
  };

  const read = () => navigation.currentEntry && ({
    html: document.documentElement.outerHTML,
    mode: document.compatMode,
    entries: entries(),
    url: location.pathname + location.search + location.hash,
    entry: navigation.currentEntry.index,
    fields: inputs.map(field),
    scrolled: all.flatMap((element, at) =>
      element.scrollLeft || element.scrollTop ? [[at, element.scrollLeft, element.scrollTop]] : []),
    viewport: [visualViewport.scale, visualViewport.offsetLeft, visualViewport.offsetTop],
    selected: selected(),
    focus: [place(document.activeElement ?? document.body), document.activeElement?.matches(":focus-visible") ?? false],
    target: [...document.querySelectorAll(":target, :modal, :popover-open")].map(place),
    hover: [...document.querySelectorAll(":hover")].map(place),
  });

  // The page's scripts have run again on the copied document, and may have changed what was added to it later.
  const undoScripts = (html) => {
    const copied = [...new DOMParser().parseFromString(html, "text/html").querySelectorAll("*")];
    if (copied.length !== all.length) return; // the comparison reports it
    copied.forEach((wanted, at) => {
      for (const name of all[at].getAttributeNames()) if (!wanted.hasAttribute(name)) all[at].removeAttribute(name);
      for (const { name, value } of wanted.attributes) {
        if (all[at].getAttribute(name) !== value) all[at].setAttribute(name, value);
      }
    });
  };

  const write = (state) => {
    undoScripts(state.html);
    state.fields.forEach(({ value, checked, chosen, caret }, at) => {
      const element = inputs[at];
      if (element.type !== "file" && element.value !== value) element.value = value;
      if (checked !== null) element.checked = checked;
      chosen.forEach((on, number) => (element.options[number].selected = on));
      if (caret) element.setSelectionRange(...caret);
    });
    if (state.selected) {
      const [anchor, from, focus, to] = state.selected;
      getSelection().setBaseAndExtent(node(anchor), from, node(focus), to);
    } else getSelection().removeAllRanges();
    const [focused, focusVisible] = [node(state.focus[0]), state.focus[1]];
    document.activeElement?.blur();
    if (focused !== document.body) focused.focus({ preventScroll: true, focusVisible });
    const scroll = (element, left, top) => element.scrollTo({ left, top, behavior: "instant" });
    for (const element of all) if (element.scrollLeft || element.scrollTop) scroll(element, 0, 0);
    for (const [at, left, top] of state.scrolled) scroll(all[at], left, top);
  };

  return { read, write };
})()
