/** Returns a function that gives the value made earlier for a key, while anything still refers to that value. */
export function createSharing<Value extends object>(): (key: string, make: () => Value) => Value {
  const known = new Map<string, WeakRef<Value>>();
  const gone = new FinalizationRegistry<string>((key) => {
    if (!known.get(key)?.deref()) known.delete(key);
  });
  return (key, make) => {
    const found = known.get(key)?.deref();
    if (found) return found;
    const made = make();
    known.set(key, new WeakRef(made));
    gone.register(made, key);
    return made;
  };
}
