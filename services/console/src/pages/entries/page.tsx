import { words } from '../../words/en.ts';

export const Page = () => <h2>{words.tabs.entries}</h2>;
