import { Center, Loader } from '@mantine/core';
import { words } from '../words/en.ts';

/** In the place of what is being read. */
export function Loading() {
  return (
    <Center py="xl" role="status" aria-label={words.common.loading}>
      <Loader />
    </Center>
  );
}
