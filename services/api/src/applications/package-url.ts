/** As browsers write it: `http:x` is `http://x/`. Undefined when it is no http or https URL, or too long then. */
export function toPackageUrl(text: string): string | undefined {
  const url = URL.parse(text);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  return url && isHttp && url.href.length <= 2_000 ? url.href : undefined;
}
