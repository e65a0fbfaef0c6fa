import { notifications } from '@mantine/notifications';
import { ApiFailure } from '../api/failure.ts';
import { words } from '../words/en.ts';

/** Tells of a failure that has no place of its own on the page. It stays until it is closed. */
export function showFailure(error: Error): void {
  const id = error instanceof ApiFailure && error.requestId;
  notifications.show({
    color: 'red',
    title: error.message,
    message: id ? words.common.requestId(id) : '',
    autoClose: false,
    closeButtonProps: { 'aria-label': words.common.close },
  });
}

/** Tells that something was done. */
export function showSuccess(message: string): void {
  notifications.show({ color: 'teal', message, closeButtonProps: { 'aria-label': words.common.close } });
}
