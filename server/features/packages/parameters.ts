import { fallback, integer, oneOf, required, string } from '../../http/params.ts';

/** Parameters of the path of a package. */
export const inProject = () => ({ id: required(string), package_id: required(integer) });

/** Direction of a list. */
export const direction = () => fallback<'asc' | 'desc'>('asc', oneOf(['asc', 'desc']));
