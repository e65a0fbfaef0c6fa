import { notifications } from '@mantine/notifications';
import { RequestFailure } from '../api/failure.ts';
import { words } from '../words/en.ts';

const closeButtonProps = { 'aria-label': words.common.close };

/** Shows a failure that has no place of its own on the page, until the user closes it. */
export function showFailure(error: Error): void {
  const id = error instanceof RequestFailure && error.requestId;
  const message = id ? words.common.requestId(id) : '';
  notifications.show({ color: 'red', title: error.message, message, autoClose: false, closeButtonProps });
}

export const showSuccess = (message: string): void =>
  void notifications.show({ color: 'teal', message, closeButtonProps });
