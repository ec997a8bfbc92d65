import { describeLoading } from './loading.ts';

describeLoading({ sample: 50 });
