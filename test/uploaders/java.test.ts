import { java } from './languages/java.ts';
import { tryUploader } from './oracle.ts';

tryUploader(java);
