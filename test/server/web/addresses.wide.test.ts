// Wide: The URLs in the responses of every route of the REST API are opened.
import { describeAddresses } from './addresses.ts';

describeAddresses();
