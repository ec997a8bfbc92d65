import pg from 'pg';

const pool = new pg.Pool({ max: 10 });

export async function query(text, values) {
  const { rows } = await pool.query(text, values);
  return rows;
}
