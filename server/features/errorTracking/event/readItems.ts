import { isJsonObject } from '../../../../src/contract/json.ts';
import { type Location, readList, type Reading } from './readValue.ts';

interface Items {
  readonly list: readonly unknown[];
  readonly locationOf: (index: number) => Location;
}

/** Returns the items of a list, of the list in `values`, or a single item in the place of either. */
export function itemsOf(reading: Reading, sent: unknown, key: string): Items {
  const own: Location = { parent: undefined, key };
  if (isJsonObject(sent) && Object.keys(sent).length > 0) {
    const { values } = sent;
    if (values === undefined) return { list: [sent], locationOf: () => own };
    if (isJsonObject(values)) return { list: [values], locationOf: () => ({ parent: own, key: 'values' }) };
  }
  const parent: Location = Array.isArray(sent) ? own : { parent: own, key: 'values' };
  return { list: readList(reading, sent, undefined, key), locationOf: (index) => ({ parent, key: index }) };
}
