import { useLocalStorage } from '@mantine/hooks';

const least = 48;

/** The widths of columns that the user set in this browser, in pixels. */
export function useWidths(domain: string) {
  const [widths, setWidths] = useLocalStorage<Record<string, number>>({
    key: `widths.${domain}`,
    defaultValue: {},
  });
  return {
    styleOf(pointer: string) {
      const width = widths[pointer];
      return width === undefined ? undefined : { width, minWidth: width, maxWidth: width };
    },
    /** Undefined: as wide as its values. */
    set(pointer: string, width: number | undefined): void {
      const { [pointer]: _, ...others } = widths;
      setWidths(width === undefined ? others : { ...others, [pointer]: Math.max(width, least) });
    },
  };
}

export type ColumnWidths = ReturnType<typeof useWidths>;
