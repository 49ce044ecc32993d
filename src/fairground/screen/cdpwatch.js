// Runs in an isolated world of every document: it sees the page's elements, but none of the page's scripts, and
// none of them can see or replace what is used here. Getters are taken from prototypes, because a page could have
// an element named "readyState".
((nonce, alsoRun) => {
  "use strict";
  if (globalThis.fairground?.nonce === nonce) return;
  const getter = (type, name) => Object.getOwnPropertyDescriptor(type.prototype, name).get;
  const readyState = getter(Document, "readyState");
  const fonts = getter(Document, "fonts");
  const getAnimations = Document.prototype.getAnimations;
  const select = Document.prototype.querySelectorAll;
  const sheets = Object.getOwnPropertyDescriptor(Document.prototype, "adoptedStyleSheets");

  let changes = 0;
  let changedAt = -Infinity;
  const changed = () => {
    changes += 1;
    changedAt = performance.now();
  };

  const watched = new WeakSet();
  const watch = (root) => {
    if (watched.has(root)) return;
    watched.add(root);
    new MutationObserver(changed).observe(root, {
      subtree: true, childList: true, attributes: true, characterData: true,
    });
    for (const event of ["scroll", "input", "load", "toggle"]) {
      root.addEventListener(event, changed, { capture: true, passive: true });
    }
  };

  // Shadow trees and frames of the same origin are watched as well; looked for only when something has changed.
  let looked = -1;
  const watchAll = (root) => {
    watch(root);
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(), left = 20000; node && left; node = walker.nextNode(), left -= 1) {
      if (node.shadowRoot instanceof ShadowRoot) watchAll(node.shadowRoot);
      if (node instanceof HTMLIFrameElement && node.contentDocument) watchAll(node.contentDocument);
    }
  };

  const seen = (element) => {
    if (!element?.isConnected || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) {
      return false;
    }
    // Their background is that of the whole picture, however small they are.
    if (element instanceof HTMLBodyElement || element instanceof HTMLHtmlElement) return true;
    const box = element.getBoundingClientRect();
    return box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
  };

  // What moves by itself: animations and videos that can be seen now.
  const moving = () => {
    const found = [];
    for (const animation of getAnimations.call(document)) {
      if (animation.playState !== "running" || !(animation.timeline instanceof DocumentTimeline)) continue;
      if (!seen(animation.effect?.target)) continue;
      const endless = animation.effect.getComputedTiming().endTime === Infinity;
      const name = animation.animationName || animation.transitionProperty || animation.id;
      found.push([animation, `${endless ? "an endless animation" : "an animation"} runs${name ? ` (${name})` : ""}`]);
    }
    for (const video of select.call(document, "video")) {
      if (!video.paused && !video.ended && video.readyState > 2 && seen(video)) found.push([video, "a video plays"]);
    }
    return found;
  };

  const outlasted = new WeakSet(); // what did not end while we waited once: not waited for again
  const busy = () => {
    if (readyState.call(document) !== "complete") return "the page is loading";
    if (fonts.call(document).status === "loading") return "fonts are loading";
    return moving().find(([thing]) => !outlasted.has(thing))?.[1] ?? "";
  };

  const frame = () => new Promise((done) => {
    requestAnimationFrame(() => done());
    setTimeout(done, 250); // no frames are drawn of a page that is hidden
  });

  const report = (why) => ({
    nonce, changes, why, zoom: visualViewport.scale,
    moving: moving()[0]?.[1] ?? "",
    painted: [...select.call(document, "canvas")].some(seen),
  });

  const rest = async (quiet, budget) => {
    const end = performance.now() + budget;
    for (let frames = 0; ; frames += 1) {
      if (looked !== changes) {
        looked = changes;
        watchAll(document);
      }
      const why = busy() || (performance.now() - changedAt < quiet ? "the page keeps changing" : "");
      if (!why && frames >= 2) return report("");
      if (performance.now() >= end) {
        for (const [thing] of moving()) outlasted.add(thing);
        return report(why || "no frame was drawn");
      }
      await frame();
    }
  };

  let drag = false;
  addEventListener("dragstart", (event) => {
    drag = !event.defaultPrevented;
  });
  const dragged = () => {
    const begun = drag;
    drag = false;
    return { nonce, dragged: begun };
  };

  watch(document);
  try {
    // A caret that blinks would make two pictures of one page differ.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(":root { caret-animation: manual !important }");
    sheets.get.call(document).push(sheet);
  } catch {
    // a document without style, such as an image
  }
  alsoRun();
  globalThis.fairground = { nonce, rest, state: () => report(busy()), dragged };
})
