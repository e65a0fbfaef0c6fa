import { createContext, type ReactNode, useContext } from 'react';
import { createPortal } from 'react-dom';

/** The element beside the title of a section. */
export const ActionsPlace = createContext<HTMLElement | null>(null);

/** Puts the actions of a section beside its title. */
export function PageActions({ children }: { children: ReactNode }) {
  const place = useContext(ActionsPlace);
  return place && createPortal(children, place);
}
