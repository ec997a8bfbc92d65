import { DAY, HOUR } from '../../core/clock.ts';
import type { DatabaseEditor } from '../../store/editing.ts';

/** Replaces the hashes of end users. `assignment` is SQL that sets `user_hash`. */
export function rehashTrackedUsers(editor: DatabaseEditor, assignment: string): void {
  editor.execute(`UPDATE tracked_users SET ${assignment}`);
}

/** Computes the counters by UTC hour and day again, after the times have moved. */
export function countErrors(editor: DatabaseEditor): void {
  editor.execute(
    `INSERT INTO tracked_hours
       SELECT grouping_id, occurred_at / ${HOUR}, count(*) FROM tracked_events GROUP BY 1, 2 ORDER BY 1, 2;
     INSERT INTO tracked_arrivals (project_id, day, outcome, name, category, quantity, last_at)
       SELECT project_id, received_at / ${DAY}, 'accepted', 'event', '', count(*), max(received_at)
         FROM tracked_events GROUP BY 1, 2
       UNION ALL
       SELECT project_id, received_at / ${DAY}, 'accepted', 'sessions', '', count(DISTINCT received_at), max(received_at)
         FROM tracked_session_counts GROUP BY 1, 2;
     UPDATE tracked_errors SET counted_hour = status_at / ${HOUR}, counted_of_hour =
       (SELECT count(*) FROM tracked_groupings AS one JOIN tracked_events AS event ON event.grouping_id = one.id
        WHERE one.error_id = tracked_errors.id
          AND event.occurred_at BETWEEN tracked_errors.status_at / ${HOUR} * ${HOUR} AND tracked_errors.status_at)
       WHERE status_at IS NOT NULL`,
  );
}
