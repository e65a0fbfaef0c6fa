import { rust } from './languages/rust.ts';
import { tryUploader } from './oracle.ts';

tryUploader(rust);
