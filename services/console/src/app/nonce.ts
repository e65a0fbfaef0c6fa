/** The policy of the page allows only styles with this nonce: libraries that add `<style>` need it. */
export const styleNonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
