/** The policy of the page lets only styles in that carry this: libraries that add `<style>` need it. */
export const styleNonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
