/** Whether any object in a value has such a member. */
export function hasMember(value: unknown, isIt: (name: string, member: unknown) => boolean): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, member]) => isIt(name, member) || hasMember(member, isIt));
}
