export const deleteNotesOfSnippetsAndEpics = `
-- Comments go with the snippet or epic that they are on.
CREATE TRIGGER snippet_notes_after_delete AFTER DELETE ON snippets BEGIN
  DELETE FROM notes WHERE noteable_type = 'Snippet' AND noteable_id = old.id;
END;
CREATE TRIGGER epic_notes_after_delete AFTER DELETE ON epics BEGIN
  DELETE FROM notes WHERE noteable_type = 'Epic' AND noteable_id = old.id;
END;
`;
