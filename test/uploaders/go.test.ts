import { go } from './languages/go.ts';
import { tryUploader } from './oracle.ts';

tryUploader(go);
