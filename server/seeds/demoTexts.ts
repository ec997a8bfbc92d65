// Texts of the demo data. Tidemark is an invented company that makes software for small harbours: booking of berths, power pedestals and
// gates on the docks, tide data, and the desk of the harbour office.

type Texts = readonly [string, ...string[]];

export type Trade = 'service' | 'ui' | 'device' | 'tool' | 'data' | 'docs' | 'ops';

/** Titles of issues by kind of work. `{thing}` is the topic of an issue, `{Thing}` the same at the beginning of a sentence. */
export const titles: Readonly<Record<Trade, Texts>> = {
  service: [
    '{Thing} times out under load',
    '{Thing} answers 500 when a harbour has no season set',
    'Retry {thing} while the database restarts',
    '{Thing} counts the hour of the clock change twice',
    'Add metrics to {thing}',
    "{Thing} ignores the harbour's time zone",
    'Log why {thing} refuses a request',
    '{Thing} accepts dates in the past',
    'Cover {thing} with tests',
    '{Thing} is slow for harbours with more than 300 berths',
    'Limit how often {thing} may be called',
    'Take {thing} out of the request path',
  ],
  ui: [
    '{Thing} flickers while it loads',
    '{Thing} cannot be reached with the keyboard',
    'Show {thing} sooner',
    '{Thing} cuts off long boat names',
    'Dark mode makes {thing} hard to read',
    'Make {thing} easier to find',
    '{Thing} does not fit on a small tablet',
    'Say what went wrong when {thing} fails',
    "{Thing} shows yesterday's data after midnight",
    'Translate {thing} into Dutch and German',
    'Simplify {thing}',
    '{Thing} loses its input when the session ends',
  ],
  device: [
    '{Thing} drops out when the supply voltage dips',
    '{Thing} does not come back after a brown-out',
    'Reduce the power draw of {thing} at night',
    '{Thing} gets slower after a week',
    'Test {thing} at minus ten degrees',
    '{Thing} holds up the watchdog',
    'Let {thing} survive a full log partition',
    '{Thing} reports a fault that is not there',
    'Update {thing} without opening the pedestal',
    '{Thing} needs a longer debounce',
    'Write down how {thing} is calibrated',
    '{Thing} repeats its last message after it reconnects',
  ],
  tool: [
    '{Thing} cannot be stopped once it runs',
    'Give {thing} a command line',
    '{Thing} is slower than the real one',
    '{Thing} needs an example',
    'Make {thing} repeatable',
    'Write down what {thing} cannot do',
    '{Thing} crashes when the scenario is empty',
    'Let {thing} run without a display',
    '{Thing} mixes up two docks',
    'Cover {thing} with tests',
  ],
  data: [
    '{Thing} has gaps on days with a storm warning',
    'Check {thing} against the national gauge',
    '{Thing} uses two different units',
    'Keep {thing} for two years',
    '{Thing} is imported twice',
    'Publish {thing} as CSV',
    'Describe the units of {thing}',
    '{Thing} arrives up to an hour late',
    'Fill small holes in {thing}',
    'Alert when {thing} stops arriving',
    'Compress the older part of {thing}',
    '{Thing} mixes up two stations of the same name',
  ],
  docs: [
    'Explain {thing} to new colleagues',
    '{Thing} still describes the old office',
    'Add pictures to {thing}',
    'Shorten {thing} to one page',
    '{Thing} contradicts the contract',
    'Name an owner for {thing}',
    'Review {thing} twice a year',
    'Get {thing} out of the mail thread',
    '{Thing} links to a page that is gone',
    'Agree on the wording of {thing}',
    'Turn {thing} into a checklist',
    '{Thing} leaves out weekends',
  ],
  ops: [
    'Alert when {thing} is silent for five minutes',
    '{Thing} runs out of disk at the end of the month',
    'Rotate the certificates of {thing}',
    "Restore {thing} from last night's backup, as a drill",
    '{Thing} restarts on every change of its settings',
    'Pin the version of {thing}',
    'Move {thing} to the new cluster',
    '{Thing} needs a runbook',
    'Make alerts from {thing} less noisy',
    '{Thing} keeps logs longer than agreed',
    'Measure how long {thing} takes to start',
    'Let {thing} fail over without waking anybody',
  ],
};

export const descriptions: Texts = [
  'Seen in two harbours this week. I will collect the details here.',
  'A customer called about this. It is not urgent, but it looks bad.',
  'Found while testing the next release.',
  'We talked about this in the planning round; writing it down so that it is not lost.',
  'Steps:\n\n1. Open a harbour with a winter season.\n2. Wait for the nightly run.\n3. Compare with the day before.',
  'What it should do is easy to say, how it should do it is not. Ideas are welcome.',
  '- [x] find out since when\n- [ ] write a failing test\n- [ ] fix it\n- [ ] tell the harbours that asked',
  'This has come up three times since spring. Let us do it properly.',
  'Small, and a good first issue for somebody who is new here.',
  'Blocks the release for the northern harbours.',
];

/** Titles of confidential issues by kind of work. */
export const confidentialTitles: Readonly<Record<Trade, Texts>> = {
  service: ['An expired token can still read bookings', 'Guest links can be guessed from the booking number'],
  ui: ['Notes of the harbour office show up in the page source', 'A shared link signs people in'],
  device: ['The service port accepts the factory code', 'Firmware images are not checked before they are installed'],
  tool: ['The simulator contains the real factory code', 'Scenarios name the customers they came from'],
  data: ['The raw export holds names of boat owners', 'A supplier sent us data that we may not keep'],
  docs: ['Salary figures in the shared calendar', 'The visitor list names a customer who asked us not to'],
  ops: ['A backup key is in the build log', 'The staging database holds real addresses'],
};

/** First sentences of comments, for any topic. `{peer}` is a colleague. */
const openers: Texts = [
  'Two harbours asked about the same today.',
  'Looked at this together with {peer}.',
  'Thanks, that is a good find.',
  '{peer} had the same idea in spring.',
  'It is older than I thought.',
  'A first version is ready.',
  'Talked to the harbour office in Vlieland.',
  'Half of it is done.',
  'I would like to see numbers before we decide.',
  '{peer}, could you take a look?',
  'Still open on my side.',
  'This is the last piece for the release.',
];

const openersByTrade: Readonly<Record<'code' | 'text', readonly string[]>> = {
  code: [
    'I can reproduce this on staging.',
    'Happens here too, in two of three tries.',
    'I could not reproduce it this morning.',
    "This began with last week's release.",
    'The logs of last night show it clearly.',
    'Only harbours with a winter season are affected.',
    'I wrote a failing test first.',
    'Deployed to staging.',
    'Verified with real data.',
    'Not sure that this is our fault.',
    'Good news: it is one line.',
    'Bad news: it is not one line.',
  ],
  text: [
    'I asked three colleagues and got four answers.',
    'My draft is in the shared folder.',
    'The part about weekends is new to me.',
    'I read it aloud, and it is too long.',
    'The old text was written for the old office.',
    'Checked with legal, they are fine with it.',
  ],
};

/** Second sentences of comments, for any topic. */
const followUps: Texts = [
  'We should tell the harbours before we change it.',
  'I will write the release note.',
  'Closing it would be premature.',
  'One harbour asked whether they can switch it off.',
  'The numbers are in the sheet of the planning round.',
  'If nobody objects I will do it on Thursday.',
  'That also answers the question from support.',
  '{peer} knows the history of this.',
  'I left the rest for a separate issue.',
];

const followUpsByTrade: Readonly<Record<Trade, readonly string[]>> = {
  service: [
    'The cause is a cache that nobody clears.',
    'The query reads the whole season to show one day.',
    'Next I will look at what happens at midnight.',
    'The retry hides it most of the time.',
    'Measured: 240 ms before, 35 ms after.',
    'There is a second place that does the same.',
  ],
  ui: [
    'Please try it with the Ameland data, they have the longest names.',
    'It is fine on the phone, but not on the tablet of the harbour office.',
    'I would rather use the component from the design kit.',
    'With the screen reader it makes no sense at all.',
    'The test takes eleven seconds, which is too long.',
    'Screenshots of both themes are in the design folder.',
  ],
  device: [
    'I need an hour with the real hardware.',
    'The clock of the pedestal is right, ours is not.',
    'It goes away after a restart, which explains why nobody saw it for so long.',
    'The scope picture is in the hardware folder.',
    'Three of the forty pedestals in Makkum do it.',
    'The supplier says that a newer revision has a fix.',
  ],
  tool: [
    'The scenario is in the examples folder now.',
    'The real pedestal does it too, so the simulator is right.',
    'I run it with ten docks over night.',
    'The old code had a comment about exactly this.',
  ],
  data: [
    'The national gauge says the same, so the reading is right.',
    'The supplier answers within a day, usually.',
    'The gap is 40 minutes long and begins at low water.',
    'The import log has the line numbers.',
    'I would not change the format for this.',
  ],
  docs: [
    'The new colleagues should decide, they have to use it.',
    'Let us keep the old version for a month.',
    'A picture would say it better.',
    'I will bring it up on Monday.',
  ],
  ops: [
    'The alert fired eleven times last night.',
    'The runbook has the commands.',
    'It costs us four euros a day.',
    'Nobody was woken up, which is the point.',
    'I tried it on the staging cluster first.',
    'The restore took 26 minutes.',
  ],
};

/** Both sentences of a comment on an issue of one kind of work. */
export function commentTexts(trade: Trade): { readonly openers: Texts; readonly followUps: Texts } {
  return {
    openers: [...openers, ...openersByTrade[trade === 'docs' ? 'text' : 'code']],
    followUps: [...followUps, ...followUpsByTrade[trade]],
  };
}

/** Internal comments. */
export const internalNotes: Texts = [
  'For us only: they asked for a credit note. Please promise nothing here.',
  'Their contract ends in March, so let us be quick.',
  'I have the name of the person on the phone, ask me.',
  'The address in the screenshot is real. I removed the picture.',
  'We knew about this one. Please be kind when you answer.',
  'Their harbour master will visit us next week.',
  'Do not mention the other customer.',
  'Legal says that we may fix this without telling anybody first.',
];

/** Comments on a merge request, with the reply of its author. */
export const reviewTexts: Texts = [
  'I like it. What happens when there is nothing to filter?',
  'Can we keep the old limit until the season is over?',
  'This reads much better. A line in the handbook would help, too.',
  'Works here. Did you try it with the data of last summer?',
  'Why not in one step? I would expect the same result.',
];
export const answerTexts: Texts = [
  'Then the list is empty, as before. I tried it.',
  'Yes, I left the limit where it was.',
  'I will write it down as soon as this is merged.',
  'With last summer and the one before. Nothing differs.',
  'In one step it took twice as long on the small machine.',
];
