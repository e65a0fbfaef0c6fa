import { useLocalStorage } from '@mantine/hooks';

/** The schema from which a draft was made. */
export interface Base {
  version: number;
  text: string;
}

export interface KeptDraft {
  base: Base;
  text: string;
}

/** The draft of a user in this browser, shared by its tabs. Other users of the browser have drafts of their own. */
export const useKeptDraft = (domain: string, username: string) =>
  useLocalStorage<KeptDraft | undefined>({
    key: `sluice.schema.${domain}.${username}`,
    defaultValue: undefined,
    getInitialValueInEffect: false,
  });
