import type { JsonObject } from '../../../../../src/contract/json.ts';

const withFrame = (frame: JsonObject, type = 'Failure', value = 'it failed'): JsonObject => ({
  platform: 'other',
  exception: { values: [{ type, value, stacktrace: { frames: [{ function: 'main', filename: 'main.c' }, frame] } }] },
});
const thrown = (type: string, value: string): JsonObject => ({ platform: 'other', exception: { values: [{ type, value }] } });

/** Events of which version 2 of the rules compared texts that were scrubbed, and are kept since version 3, or the reverse. */
export const scrubbedEvents: Readonly<Record<string, JsonObject>> = {
  'function of Objective-C': withFrame({
    function: '-[UIKeyboardImpl _pinInputViewsForInputResponderController:animatedWithCompletionHandler:]',
    package: 'UIKitCore',
  }),
  'function of .NET': withFrame({
    function: 'Load(System.Core, Version=4.0.0.0, PublicKeyToken=b77a5c561934e089)',
    module: 'Shop.Run',
  }),
  'function of C++': withFrame({ function: 'void shop::check<auth=basic_2>()', filename: 'auth.cc' }),
  module: withFrame({ function: 'run', module: 'Shop.Token: parse2' }),
  file: withFrame({ function: 'run', filename: '/data/token=17/part.py' }),
  'absolute path': withFrame({ function: 'run', abs_path: '/data/token=17/part.py' }),
  'line of source': withFrame({ function: 'run', filename: 'run.py', context_line: 'raise Failure(token_type="bearer7")' }),
  'line of settings': withFrame({ filename: 'run.sh', context_line: 'PWD=/srv/app' }),
  'frame of a thread': {
    platform: 'other',
    threads: { values: [{ crashed: true, stacktrace: { frames: [{ function: 'sign(pass: sha256)', module: 'shop' }] } }] },
  },
  'frame of the event': { platform: 'other', stacktrace: { frames: [{ function: 'sign(pass: sha256)', module: 'shop' }] } },
  'type of an exception': withFrame({ function: 'run', module: 'shop' }, 'Auth.Token=invalid7'),
  'value of an exception': thrown(
    'FileLoadException',
    'System.Core, Version=4.0.0.0, PublicKeyToken=b77a5c561934e089 is missing',
  ),
  'value with a count': thrown('LimitError', 'too long: token_count=4096'),
  'value with a card number': thrown('PaymentError', 'card 4111 1111 1111 1111 was declined'),
  'value with a card number without blanks': thrown('PaymentError', 'card 4111111111111111 was declined'),
  'value that is scrubbed formerly and now': thrown('Failure', 'login of password=hunter2 failed'),
  message: { message: 'no more pages: next_page_token=abc9' },
  'template of a message': { logentry: { message: 'PublicKeyToken=b77a5c561934e089 of %s', params: ['harbour'] } },
  'message with a card number': { message: 'the card 5555-5555-5555-4444 was declined' },
  logger: { message: 'it failed', logger: 'Auth.Token: oauth2' },
  fingerprint: { message: 'it failed', fingerprint: ['token_count=4096'] },
};

/**
 * Hashes of these events by versions 1 and 2, and their titles, as they were scrubbed when version 2 was the current one: the first 12
 * digits of those of the application frames and of the whole stack by version 1, then by version 2.
 */
export const scrubbedHashes: Readonly<Record<string, readonly [title: string, hashes: string]>> = {
  'function of Objective-C': ['Failure: it failed', 'c555926dd196 c555926dd196 2b1fc52bd848 2b1fc52bd848'],
  'function of .NET': ['Failure: it failed', 'b9c267477bd2 b9c267477bd2 339b9fb3e868 339b9fb3e868'],
  'function of C++': ['Failure: it failed', '917841ebe624 917841ebe624 2edecc854284 2edecc854284'],
  module: ['Failure: it failed', 'b4ae16a1654d b4ae16a1654d 224fcc00dab2 224fcc00dab2'],
  file: ['Failure: it failed', '706029c5e806 706029c5e806 158621abcc42 158621abcc42'],
  'absolute path': ['Failure: it failed', '706029c5e806 706029c5e806 158621abcc42 158621abcc42'],
  'line of source': ['Failure: it failed', 'b0f392d255b7 b0f392d255b7 0543f3c5d601 0543f3c5d601'],
  'line of settings': ['Failure: it failed', '5a7b05a0c6f6 5a7b05a0c6f6 c4bcd35a88cd c4bcd35a88cd'],
  'frame of a thread': ['sign(pass: [Filtered]) (shop)', '1e5f950252cf 1e5f950252cf 152967d88500 152967d88500'],
  'frame of the event': ['sign(pass: [Filtered]) (shop)', '1e5f950252cf 1e5f950252cf 152967d88500 152967d88500'],
  'type of an exception': ['Auth.Token=[Filtered]: it failed', '53f7c5da0a32 53f7c5da0a32 37971fdcfccc 37971fdcfccc'],
  'value of an exception': [
    'FileLoadException: System.Core, Version=4.0.0.0, PublicKeyToken=[Filtered] is missing',
    '5af5d5160edf 5af5d5160edf 8d2c687c0d8f 8d2c687c0d8f',
  ],
  'value with a count': ['LimitError: too long: token_count=[Filtered]', '2d17045a91a8 2d17045a91a8 42cefba35546 42cefba35546'],
  'value with a card number': [
    'PaymentError: card 4111 1111 1111 1111 was declined',
    '50e45b7ec30a 50e45b7ec30a 23c9d13833d6 23c9d13833d6',
  ],
  'value with a card number without blanks': [
    'PaymentError: card 4111111111111111 was declined',
    '98f8876c0dda 98f8876c0dda 11c7b9432376 11c7b9432376',
  ],
  'value that is scrubbed formerly and now': [
    'Failure: login of password=[Filtered] failed',
    '86c537d2f16e 86c537d2f16e 101e30bc7b1b 101e30bc7b1b',
  ],
  message: ['no more pages: next_page_token=[Filtered]', '2d663fa52842 2d663fa52842 1dfd22476384 1dfd22476384'],
  'template of a message': ['PublicKeyToken=[Filtered] of harbour', 'aecc5531a489 aecc5531a489 e8e43d029a80 e8e43d029a80'],
  'message with a card number': [
    'the card 5555-5555-5555-4444 was declined',
    'b21d6291c320 b21d6291c320 cecd49fed9a6 cecd49fed9a6',
  ],
  logger: ['it failed', '1a17951e46c2 1a17951e46c2 c78fc2e9a880 c78fc2e9a880'],
  fingerprint: ['it failed', '1259ba774c4e 1259ba774c4e a013f540a2f5 a013f540a2f5'],
};
