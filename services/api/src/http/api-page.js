const dark = matchMedia('(prefers-color-scheme: dark)');
const followSystem = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followSystem);
followSystem();

/** What Swagger UI leaves out for who does not see the page, or has no mouse. */
function complete() {
  for (const field of document.querySelectorAll('textarea.body-param__text:not([aria-label])'))
    field.setAttribute('aria-label', 'Request body');
  for (const select of document.querySelectorAll('select:not([aria-label], [aria-labelledby])'))
    select.setAttribute(
      'aria-label',
      select.closest('.response') ? 'Type of the answer' : 'Type of the body',
    );
  for (const text of document.querySelectorAll('pre.microlight:not([tabindex])')) text.tabIndex = 0;
}

new MutationObserver(complete).observe(document.body, { childList: true, subtree: true });
