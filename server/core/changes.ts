/** The changes that each feature publishes. A feature adds its own in `changes.ts` of its folder, by declaration merging. */
export interface ChangesByFeature {}

/** A change, published inside the transaction that makes it. Subscribers record activity and everything else that follows from a change. */
export type Change = ChangesByFeature[keyof ChangesByFeature];

export type ChangeOf<Kind extends Change['kind']> = Change & { readonly kind: Kind };

export interface Changes {
  publish(change: Change): void;
  /**
   * Adds a subscriber. Subscribers run in the order in which they were added, in the publisher's transaction; an exception rolls it back.
   */
  subscribe(subscriber: (change: Change) => void): void;
}

export function createChanges(): Changes {
  const subscribers: ((change: Change) => void)[] = [];
  return {
    publish: (change) => {
      for (const subscriber of subscribers) subscriber(change);
    },
    subscribe: (subscriber) => {
      subscribers.push(subscriber);
    },
  };
}

/** An attribute before and after a change, as text. */
export interface AttributeChange {
  readonly attribute: string;
  readonly from: string;
  readonly to: string;
}

/** Returns the attributes that differ between two states of an object. Only members with an entry in `names` are compared. */
export function changedAttributes<Name extends string>(
  names: Readonly<Record<Name, string>>,
  before: Readonly<Record<NoInfer<Name>, unknown>>,
  after: Readonly<Record<NoInfer<Name>, unknown>>,
): AttributeChange[] {
  const found: AttributeChange[] = [];
  for (const name in names) {
    const [from, to] = [before[name], after[name]];
    if (from !== to) found.push({ attribute: names[name], from: String(from ?? ''), to: String(to ?? '') });
  }
  return found;
}

/** Title and description before and after an edit. */
export interface TextEdit {
  readonly before: EditedTexts;
  readonly after: EditedTexts;
}

interface EditedTexts {
  readonly title: string;
  readonly description: string | null;
}
