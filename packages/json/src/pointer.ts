/** Keys → JSON Pointer (RFC 6901): `['a/b', '0']` → `/a~1b/0`; the root is `''`. */
export function toPointer(path: string[]): string {
  return path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Name of a field → keys: a name is a JSON Pointer, or keys with dots between them. Throws as `fromPointer` does. */
export const fromName = (name: string): string[] =>
  name.startsWith('/') ? fromPointer(name) : name.split('.');

/** JSON Pointer (RFC 6901) → keys. Throws a TypeError if the pointer is neither empty nor starts with `/`. */
export function fromPointer(pointer: string): string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) throw new TypeError('A JSON Pointer is empty or starts with /');
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}
