
(function () {
  "use strict";
  var bar = document.querySelector(".bar"), box = bar.querySelector("input"), out = bar.querySelector("output");
  var errors = bar.querySelector("[data-do=errors]"), fold = bar.querySelector("[data-do=fold]");
  var articles = Array.prototype.slice.call(document.querySelectorAll("article")), texts = [], timer = 0, folded = false;
  bar.hidden = false;
  function text(i) { return texts[i] || (texts[i] = articles[i].textContent.toLowerCase()); }
  function show() {
    var want = box.value.trim().toLowerCase(), bad = errors.getAttribute("aria-pressed") === "true", n = 0;
    articles.forEach(function (a, i) {
      var yes = (!want || text(i).indexOf(want) >= 0) && (!bad || a.querySelector(".bad"));
      a.hidden = !yes;
      if (yes) n++;
      if (want || bad) Array.prototype.forEach.call(a.querySelectorAll("details"), function (d) {
        d.open = yes && (want ? d.textContent.toLowerCase().indexOf(want) >= 0 : d.classList.contains("bad"));
      });
    });
    Array.prototype.forEach.call(document.querySelectorAll(".turn"), function (t) { t.hidden = (want || bad) && !t.querySelector("article:not([hidden])"); });
    out.textContent = want || bad ? n + " of " + articles.length + " messages" : "";
  }
  box.addEventListener("input", function () { clearTimeout(timer); timer = setTimeout(show, 120); });
  errors.addEventListener("click", function () { errors.setAttribute("aria-pressed", errors.getAttribute("aria-pressed") !== "true"); show(); });
  fold.addEventListener("click", function () {
    folded = !folded;
    fold.textContent = folded ? "Fold all" : "Unfold all";
    Array.prototype.forEach.call(document.querySelectorAll(".call, .thinking"), function (d) { d.open = folded; });
  });
  document.addEventListener("keydown", function (e) {
    if (e.key === "/" && document.activeElement !== box) { e.preventDefault(); box.focus(); }
    if (e.key === "Escape" && document.activeElement === box) { box.value = ""; show(); box.blur(); }
  });
})();
