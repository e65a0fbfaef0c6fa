/** Whether `If-None-Match` names this tag, or any. */
export const isNamedIn = (list: string, tag: string): boolean =>
  list.split(',').some((each) => [tag, '*'].includes(each.trim()));
