/** In ASCII: not every mail server takes more. */
export const emailPattern = "^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+@[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)*$";
export const longestEmail = 254;

const pattern = new RegExp(emailPattern);

export const isEmail = (text: string): boolean => text.length <= longestEmail && pattern.test(text);
