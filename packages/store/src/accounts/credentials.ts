// The rules of `Password` and `Username` in the contract of the API.

/** bcrypt reads only 72 bytes, and ends at a NUL. */
export const suitsBcrypt = (password: string) =>
  Buffer.byteLength(password) <= 72 && !password.includes('\0');
export const isPassword = (text: string) => [...text].length >= 8 && suitsBcrypt(text);

export const usernamePattern = '^[A-Za-z0-9._-]*$';
export const isUsername = (text: string) =>
  new RegExp(usernamePattern).test(text) && text.length >= 3 && text.length <= 20;

/** The user of `npm run demo`, which deletes it with all its applications at the next run. */
export const demoUsername = 'sluice-demo';
