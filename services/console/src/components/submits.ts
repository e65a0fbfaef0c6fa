import type { FormEvent } from 'react';

/** Handles the submit of a form on the page; a browser alone would load another page. */
export const submits = (act: (fields: FormData) => void) => (event: FormEvent<HTMLElement>) => {
  event.preventDefault();
  act(new FormData(event.currentTarget as HTMLFormElement));
};
