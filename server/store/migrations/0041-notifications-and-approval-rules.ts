export const notificationsAndApprovalRules = `
-- Additional email addresses of users; the primary one is in users. Only confirmed addresses can receive notifications.
CREATE TABLE emails (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  email TEXT NOT NULL COLLATE NOCASE UNIQUE,
  confirmed_at INTEGER,
  -- Time of the latest confirmation mail.
  confirmation_sent_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX emails_by_user ON emails (user_id, id);

-- Notification settings of users: the global ones have neither group nor project. Levels are numbered as in the API.
CREATE TABLE notification_settings (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  group_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  level INTEGER NOT NULL CHECK (level BETWEEN 0 AND 5),
  -- JSON object of the switches that were set, by event.
  switches TEXT NOT NULL DEFAULT '{}',
  -- These two are used in the global settings only. Null stands for the primary address.
  email TEXT COLLATE NOCASE,
  own_activity INTEGER NOT NULL DEFAULT 0,
  updated_at INTEGER NOT NULL,
  CHECK (group_id IS NULL OR project_id IS NULL)
) STRICT;
CREATE UNIQUE INDEX notification_settings_by_user
  ON notification_settings (user_id, ifnull(project_id, 0), ifnull(group_id, 0));
CREATE INDEX notification_settings_by_project ON notification_settings (project_id, level, user_id) WHERE project_id IS NOT NULL;
CREATE INDEX notification_settings_by_group ON notification_settings (group_id, level, user_id) WHERE group_id IS NOT NULL;
CREATE INDEX notification_settings_by_global_level ON notification_settings (level, user_id)
  WHERE project_id IS NULL AND group_id IS NULL;

-- What mails have in common: the mails about one event differ in recipient and reason only. Pages and messages are made from data.
CREATE TABLE mail_contents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  subject TEXT NOT NULL,
  text TEXT NOT NULL,
  data TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX mail_contents_by_created ON mail_contents (created_at);

-- The local mailbox. user_id is null for addresses that belong to nobody.
CREATE TABLE mails (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  content_id INTEGER NOT NULL REFERENCES mail_contents (id) ON DELETE CASCADE,
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  address TEXT NOT NULL,
  reason TEXT,
  -- Left part of the Message-ID.
  message_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  read_at INTEGER
) STRICT;
CREATE INDEX mails_by_content ON mails (content_id);
CREATE INDEX mails_by_user ON mails (user_id, id);
CREATE INDEX mails_unread ON mails (user_id) WHERE read_at IS NULL;
CREATE INDEX mails_by_created ON mails (created_at);
CREATE INDEX mails_by_address ON mails (address COLLATE NOCASE, id);
CREATE TRIGGER mails_after_delete AFTER DELETE ON mails BEGIN
  DELETE FROM mail_contents WHERE id = old.content_id AND NOT EXISTS (SELECT 1 FROM mails WHERE content_id = old.content_id);
END;

-- Mails that an SMTP server has to receive, too, with the result of the last attempt.
CREATE TABLE mail_deliveries (
  mail_id INTEGER PRIMARY KEY REFERENCES mails (id) ON DELETE CASCADE,
  -- Time of the next attempt. Null once the mail was accepted or given up.
  next_at INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  sent_at INTEGER,
  failed_at INTEGER,
  error TEXT,
  -- Address of this server at the first attempt, so that a repeated message is the same.
  origin TEXT
) STRICT;
CREATE INDEX mail_deliveries_by_next ON mail_deliveries (next_at, mail_id) WHERE next_at IS NOT NULL;

-- Instance settings that are texts. Secret ones are sealed.
CREATE TABLE instance_texts (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The authors of the comments of a thread, and the comments that may mention somebody.
CREATE INDEX notes_by_author ON notes (noteable_type, noteable_id, author_id) WHERE system = 0;
CREATE INDEX notes_with_mentions ON notes (noteable_type, noteable_id, id) WHERE system = 0 AND instr(body, '@') > 0;

-- Events about which users may have to be mailed. Users are decided in slices, in the order of their ids.
CREATE TABLE notification_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  event TEXT NOT NULL,
  actor_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  group_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  target_type TEXT NOT NULL,
  target_id INTEGER NOT NULL,
  details TEXT NOT NULL DEFAULT '{}',
  created_at INTEGER NOT NULL,
  -- Users up to this id have been decided. Null when all have, or when that was given up.
  decided_to INTEGER DEFAULT 0,
  -- Number of failed attempts, and time of the next one.
  failures INTEGER NOT NULL DEFAULT 0,
  retry_at INTEGER,
  content_id INTEGER REFERENCES mail_contents (id) ON DELETE SET NULL
) STRICT;
CREATE INDEX notification_events_pending ON notification_events (retry_at, id) WHERE decided_to IS NOT NULL;
CREATE INDEX notification_events_decided ON notification_events (created_at) WHERE decided_to IS NULL;
CREATE INDEX notification_events_by_project ON notification_events (project_id, id) WHERE project_id IS NOT NULL;
CREATE INDEX notification_events_by_group ON notification_events (group_id, id) WHERE group_id IS NOT NULL;
CREATE INDEX notification_events_by_target ON notification_events (target_type, target_id, id);
CREATE INDEX notification_events_by_actor ON notification_events (actor_id) WHERE actor_id IS NOT NULL;
CREATE INDEX notification_events_by_content ON notification_events (content_id) WHERE content_id IS NOT NULL;

-- What was decided about each candidate, with everything the rules looked at as JSON, so that the decision can be explained later.
CREATE TABLE notification_decisions (
  event_id INTEGER NOT NULL REFERENCES notification_events (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  mail_id INTEGER REFERENCES mails (id) ON DELETE SET NULL,
  mailed INTEGER NOT NULL,
  details TEXT NOT NULL,
  PRIMARY KEY (event_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX notification_decisions_by_user ON notification_decisions (user_id, event_id);
CREATE INDEX notification_decisions_by_mail ON notification_decisions (mail_id) WHERE mail_id IS NOT NULL;

-- When an issue is announced as due on the next day: at 00:50 UTC. Null without a due date, after the announcement, and if the due date was
-- set too late for it.
ALTER TABLE issues ADD COLUMN due_notice_at INTEGER;
UPDATE issues SET due_notice_at = unixepoch(due_date, '-1 day', '+50 minutes') * 1000 WHERE due_date IS NOT NULL AND state = 'opened'
  AND unixepoch(due_date, '-1 day', '+50 minutes') * 1000
    > (SELECT coalesce(max(clock_frozen_at), unixepoch() * 1000 + coalesce(max(clock_offset), 0)) FROM instance);
CREATE INDEX issues_by_due_notice ON issues (due_notice_at) WHERE due_notice_at IS NOT NULL;

-- When a release is announced. Null after that.
ALTER TABLE releases ADD COLUMN notice_at INTEGER;
UPDATE releases SET notice_at = released_at
  WHERE released_at > (SELECT coalesce(max(clock_frozen_at), unixepoch() * 1000 + coalesce(max(clock_offset), 0)) FROM instance);
CREATE INDEX releases_by_notice ON releases (notice_at) WHERE notice_at IS NOT NULL;

-- Latest result of a pipeline that finished, which stays when it is retried.
ALTER TABLE pipelines ADD COLUMN last_result TEXT CHECK (last_result IN ('success', 'failed'));
UPDATE pipelines SET last_result = status WHERE status IN ('success', 'failed');
CREATE INDEX pipelines_by_result ON pipelines (project_id, ref, is_tag, id) WHERE last_result IS NOT NULL;

ALTER TABLE merge_requests ADD COLUMN auto_merge_squash_message TEXT;

-- Users who can approve merge requests of a project.
CREATE TABLE approval_rules (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  rule_type TEXT NOT NULL CHECK (rule_type IN ('regular', 'any_approver')),
  approvals_required INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (project_id, rule_type, name)
) STRICT;
CREATE INDEX approval_rules_by_project ON approval_rules (project_id, id);
CREATE TABLE approval_rule_users (
  rule_id INTEGER NOT NULL REFERENCES approval_rules (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (rule_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX approval_rule_users_by_user ON approval_rule_users (user_id);
CREATE TABLE approval_rule_groups (
  rule_id INTEGER NOT NULL REFERENCES approval_rules (id) ON DELETE CASCADE,
  group_id INTEGER NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
  PRIMARY KEY (rule_id, group_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX approval_rule_groups_by_group ON approval_rule_groups (group_id);
`;
