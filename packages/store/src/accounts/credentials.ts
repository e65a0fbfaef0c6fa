// Apart from the contracts, as commands need no TypeBox.
/** bcrypt looks at 72 bytes only, and takes `abc\0abc` for `abc`. */
export const suitsBcrypt = (password: string) =>
  Buffer.byteLength(password) <= 72 && !password.includes('\0');
/** What `Password` of the contracts says, for where no body is validated. */
export const isPassword = (text: string) => [...text].length >= 8 && suitsBcrypt(text);

export const usernamePattern = '^[A-Za-z0-9._-]*$';
/** What `Username` says, likewise. */
export const isUsername = (text: string) =>
  new RegExp(usernamePattern).test(text) && text.length >= 3 && text.length <= 20;
