import { Text } from '@mantine/core';
import { words } from '../words/en.ts';
import { RelativeTime } from './relative-time.tsx';

/** When something was made and by whom, if that is known. */
export const MadeBy = ({ at, by }: { at: string; by: string | undefined }) => (
  <Text>
    <RelativeTime at={at} />
    {by && ` ${words.common.by(by)}`}
  </Text>
);
