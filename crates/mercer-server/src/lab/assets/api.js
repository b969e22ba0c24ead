// Questions to the server: it computes every number of this page.

export class Refused extends Error {
  constructor(error, status) {
    super(error.message || error || 'the server refused the request');
    this.position = error.position ?? null;
    this.suggestion = error.suggestion ?? null;
    this.status = status;
  }
}

export async function ask(question, request = {}) {
  let response;
  try {
    response = await fetch('/api/' + question, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
      credentials: 'same-origin',
    });
  } catch {
    throw new Refused('the server does not answer: is mercer lab still running?', 0);
  }
  let answer = null;
  try { answer = await response.json(); } catch { /* handled below */ }
  if (!response.ok) throw new Refused(answer?.error ?? `the server answered ${response.status}`, response.status);
  return answer;
}

// One request at a time; of those that come meanwhile only the last is sent.
export function latest(work, done, failed) {
  let running = false, waiting = null;
  const run = async (argument) => {
    if (running) { waiting = { argument }; return; }
    running = true;
    try {
      const found = await work(argument);
      if (!waiting) done(found, argument);
    } catch (error) {
      if (!waiting) failed(error, argument);
    } finally {
      running = false;
      if (waiting) { const next = waiting; waiting = null; run(next.argument); }
    }
  };
  return run;
}

// Starts a job and asks for its state until it ends; onStart gets a function that stops it.
export async function runJob(question, request, onProgress, onStart) {
  const { job } = await ask(question, request);
  onStart?.((discard = false) => ask('job/stop', { job, discard }));
  for (let wait = 60; ; wait = Math.min(wait * 1.3, 400)) {
    const state = await ask('job', { job });
    if (state.state === 'done') return { job, seconds: state.seconds, result: state.result };
    if (state.state === 'failed') throw new Refused(state.error, 0);
    onProgress?.(state);
    await new Promise((ready) => setTimeout(ready, wait));
  }
}
