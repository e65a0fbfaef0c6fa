import { useOutletContext } from 'react-router';
import type { Application } from '../../api/applications.ts';

/** The application whose section this is. */
export const useApplication = (): Application => useOutletContext<Application>();
