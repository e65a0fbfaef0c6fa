/** bcrypt looks at 72 bytes only, and takes `abc\0abc` for `abc`. */
export const suitsBcrypt = (password: string): boolean =>
  Buffer.byteLength(password) <= 72 && !password.includes('\0');
