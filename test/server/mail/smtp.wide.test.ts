// Wide: A server is killed at every moment while it mails.
import { mailKills, testMailKills } from './smtpKills.ts';

describe('a server with an SMTP server of its options', () => testMailKills(mailKills));
