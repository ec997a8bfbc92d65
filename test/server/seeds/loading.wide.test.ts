// Wide: Prepared and generated demo data give the same responses at every address that can be read.
import { describeLoading } from './loading.ts';

describeLoading();
