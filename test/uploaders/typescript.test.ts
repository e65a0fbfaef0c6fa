import { typescript } from './languages/typescript.ts';
import { tryUploader } from './oracle.ts';

tryUploader(typescript);
