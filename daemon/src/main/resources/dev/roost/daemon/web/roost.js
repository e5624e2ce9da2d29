// The daemon renders the page. This script updates it live, and adds keyboard shortcuts.
'use strict';
(() => {
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const pieces = (html) => {
    const template = document.createElement('template');
    template.innerHTML = html;
    return template.content;
  };

  // ── light or dark ──
  const theme = (name) => {
    document.documentElement.classList.remove('light', 'dark');
    if (name) document.documentElement.classList.add(name);
  };
  theme(localStorage.getItem('roost-theme'));
  const otherTheme = () => {
    const dark = document.documentElement.classList.contains('dark')
      || (!document.documentElement.classList.contains('light') && matchMedia('(prefers-color-scheme: dark)').matches);
    localStorage.setItem('roost-theme', dark ? 'light' : 'dark');
    theme(dark ? 'light' : 'dark');
  };

  // ── relative times ──
  const brief = (ms) => {
    const s = Math.max(0, Math.floor(ms / 1000));
    if (s < 60) return s + 's';
    if (s < 3600) return Math.floor(s / 60) + 'm';
    if (s < 86400) return Math.floor(s / 3600) + 'h ' + Math.floor(s / 60) % 60 + 'm';
    return Math.floor(s / 86400) + 'd';
  };
  const DAY = 86400000;
  const asked = performance.getEntriesByType('navigation')[0];
  let ahead = performance.timeOrigin + (asked ? asked.responseStart : 0) - Number(document.body.dataset.now); // how far this clock is ahead of the daemon's
  const now = () => Date.now() - ahead;
  const tick = () => {
    if (document.body.classList.contains('lost')) return; // without a connection, the state is unknown
    for (const time of $$('time.tick')) {
      const text = brief(now() - Date.parse(time.dateTime));
      if (time.textContent !== text) time.textContent = text;
    }
  };
  setInterval(tick, 1000);
  // the daemon writes times in its own time zone; show them in the browser's
  const localTimes = (root) => {
    for (const time of $$('time:not(.tick):not([data-local])', root)) {
      const at = new Date(time.dateTime);
      const today = at.toDateString() === new Date().toDateString();
      const hour = String(at.getHours()).padStart(2, '0') + ':' + String(at.getMinutes()).padStart(2, '0');
      time.textContent = today ? hour : at.toLocaleDateString('en', { weekday: 'short' }) + ' ' + hour;
      time.title = at.toString();
      time.dataset.local = '1';
    }
  };

  // ── which runs are shown ──
  let shown = '';
  const field = $('#filter');
  const matches = (run) => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const old = (shown === 'died' || shown === 'done') && now() - Number(run.dataset.ended) > DAY; // the tiles count the runs of a day
    return (!shown || run.dataset.state === shown) && !old && words.every((word) => run.dataset.text.includes(word));
  };
  const sift = () => {
    if (!field) return;
    const sifting = Boolean(shown || field.value.trim());
    document.body.classList.toggle('sifting', sifting);
    let found = 0;
    for (const owner of $$('.owner')) {
      let own = 0;
      for (const run of $$('.run', owner)) {
        const hit = !sifting || matches(run);
        run.classList.toggle('miss', !hit);
        if (hit) own++;
      }
      owner.classList.toggle('miss', sifting && own === 0);
      found += own;
    }
    $('#found').textContent = sifting ? (found === 1 ? '1 run' : found + ' runs') : '';
    for (const tile of $$('.tile[data-show]')) tile.setAttribute('aria-pressed', String(tile.dataset.show === shown));
    foldAll();
  };
  const FEW = 10;
  const fold = (owner) => {
    const more = $('.more', owner);
    const old = $$('.run', owner).filter((run, i) => i >= FEW && run.classList.contains('ended')).length;
    more.hidden = old === 0 || owner.classList.contains('open') || document.body.classList.contains('sifting');
    more.textContent = 'show ' + old + ' older';
  };
  const foldAll = () => $$('.owner').forEach(fold);

  // ── inserting changed pieces ──
  const comesAfter = (run, other) => Number(run.dataset.rank) - Number(other.dataset.rank) || (run.id < other.id ? 1 : -1);
  const place = (run, list) => { // searches from the end, since runs that are loaded later are older
    let at = list.lastElementChild;
    while (at && comesAfter(at, run) > 0) at = at.previousElementSibling;
    if (at) at.after(run);
    else list.prepend(run);
  };
  const removed = (run) => {
    const owner = run.closest('.owner');
    run.remove();
    if (owner && !$('.run', owner)) owner.remove();
    else if (owner) fold(owner);
  };
  const rankOf = (owner) => Math.min(...$$('.run', owner).slice(0, 1).map((run) => Number(run.dataset.rank)), 9);
  // owners with a question come first; a group under the mouse or with the focus does not move
  const rankOwner = (owner) => {
    if (owner.matches(':hover') || owner.contains(document.activeElement)) return;
    const rank = rankOf(owner);
    if (owner.dataset.rank === String(rank)) return;
    owner.dataset.rank = rank;
    const before = $$('.owner').find((other) => other !== owner && rankOf(other) > rank);
    if (before) before.before(owner);
    else $('#groups').append(owner);
  };
  const row = (fresh, news = true) => {
    const groups = $('#groups');
    const owner = document.getElementById(fresh.dataset.owner);
    if (!groups || !owner) return false;
    const old = document.getElementById(fresh.id);
    const list = $('.runs', owner);
    const focused = old && old.contains(document.activeElement);
    const chosen = old && old.classList.contains('chosen');
    if (old && old.dataset.rank === fresh.dataset.rank && old.parentElement === list) {
      old.replaceWith(fresh);
    } else {
      place(fresh, list);
      if (old) removed(old);
      if (news) fresh.classList.add('moved');
    }
    if (document.body.classList.contains('sifting') && !matches(fresh)) fresh.classList.add('miss');
    if (chosen) fresh.classList.add('chosen');
    if (focused) $('a', fresh).focus({ preventScroll: true });
    if (news) {
      fold(owner);
      rankOwner(owner);
    }
    return true;
  };
  const waiting = new Map(); // updates of regions that the user is typing into
  const region = (fresh) => {
    const old = document.getElementById(fresh.id);
    if (!old) return;
    const active = document.activeElement;
    const inside = old.contains(active);
    const typing = $$('input:not([type=hidden]), textarea', old).some((input) => input.value && input.type !== 'checkbox')
      || (inside && active.matches('input, textarea')) || $('dialog[open]', old);
    if (typing && fresh.querySelector('form')) {
      waiting.set(fresh.id, fresh);
      return;
    }
    waiting.delete(fresh.id);
    if (old.matches('details') && old.open) fresh.open = true;
    const again = inside && active.id ? '#' + CSS.escape(active.id) : null;
    old.replaceWith(fresh);
    if (window.htmx) htmx.process(fresh);
    if (again && $(again)) $(again).focus({ preventScroll: true });
    dismissed();
    localTimes(fresh);
    if (fresh.id === 'needs' && fresh.matches('section') && !old.matches('section')) announce('A run needs you.');
    if (fresh.id === 'tiles') titled();
    if (fresh.id === 'tiles') $$('.tile[data-show]').forEach((tile) => tile.setAttribute('aria-pressed', String(tile.dataset.show === shown)));
  };
  document.addEventListener('focusout', () => setTimeout(() => [...waiting.values()].forEach(region), 50));

  const announce = (words) => { $('#announce').textContent = words; };
  const titled = () => {
    const needs = $('.tile.needs b');
    const n = needs ? Number(needs.textContent) : 0;
    document.title = document.title.replace(/^\(\d+\) /, '');
    if (n) document.title = '(' + n + ') ' + document.title;
  };
  const seen = () => JSON.parse(localStorage.getItem('roost-seen') || '[]');
  const dismissed = () => {
    const known = new Set(seen());
    for (const death of $$('[data-dead]')) death.hidden = known.has(death.dataset.dead);
    const died = $('#died');
    if (died && $('[data-dead]', died)) died.hidden = $$('[data-dead]', died).every((death) => death.hidden);
    const away = $('#away');
    if (away && away.dataset.pause && localStorage.getItem('roost-away') === away.dataset.pause) away.hidden = true;
  };

  // ── live updates ──
  const link = (state, words) => {
    const now = $('#link');
    if (!now) return;
    now.dataset.state = state;
    $('.words', now).textContent = words;
  };
  const SILENCE = 25000; // the daemon sends something at least every ten seconds
  let last = Date.now();
  const alive = () => {
    last = Date.now();
    document.body.classList.remove('lost');
    link('live', 'live');
  };
  const lost = (words) => {
    document.body.classList.add('lost');
    link('lost', words);
  };
  // A browser has six connections for all pages of a host, so a hidden page closes its own.
  let source = null;
  const hush = () => {
    if (source) source.close();
    source = null;
    lost('connecting');
  };
  // after a sleep, or behind a tunnel, a dead connection may not report an error
  setInterval(() => {
    if (!source || Date.now() - last < SILENCE) return;
    hush();
    listen();
  }, 1000);
  const address = () => {
    const at = new URL(document.body.dataset.live, location.href);
    const heard = document.body.dataset.heard;
    if (heard) at.searchParams.set(at.searchParams.has('cursor') ? 'cursor' : 'after', heard);
    return at;
  };
  const listen = () => {
    if (!document.body.dataset.live || document.hidden || source) return;
    last = Date.now();
    const here = source = new EventSource(address());
    source.addEventListener('open', alive);
    source.addEventListener('error', () => {
      if (source !== here) return;
      last = Date.now();
      const closed = here.readyState === EventSource.CLOSED;
      if (closed) hush();
      lost('the daemon is gone; waiting for it');
      if (!closed) return;
      fetch(location.pathname, { method: 'HEAD' }).then((answer) => {
        if (answer.status === 401) { lost('signed out: roost web signs in again'); return; }
        if (answer.status === 404) { lost('this run was removed'); return; }
        if (answer.ok) lost('not live: too many pages are open; trying again');
        setTimeout(listen, 5000);
      }).catch(() => setTimeout(listen, 2000));
    });
    source.addEventListener('beat', (event) => {
      ahead = Date.now() - Number(event.data);
      alive();
    });
    const on = (name, react) => source.addEventListener(name, (event) => {
      if (source !== here) return;
      alive();
      react(event.data);
      tick();
      if (event.lastEventId) document.body.dataset.heard = event.lastEventId;
    });
    on('rows', (html) => {
      for (const fresh of [...pieces(html).children]) {
        localTimes(fresh);
        if (row(fresh)) told.set(fresh.id, performance.now());
        else missing();
      }
    });
    on('regions', (html) => [...pieces(html).children].forEach(region));
    on('gone', (ids) => {
      if (output) { hush(); lost('this run was removed'); }
      for (const id of ids.split(' ')) {
        told.set(id, performance.now());
        const run = document.getElementById(id);
        if (run) removed(run);
      }
    });
    on('again', () => again());
    on('output', (html) => say(html));
    on('skipped', (html) => { output.replaceChildren(); held = 0; say(html); });
  };
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) setTimeout(() => { if (document.hidden) hush(); }, 3000);
    else listen();
  });

  // ── loading groups of runs ──
  const told = new Map(); // the time of the stream's last update of each run: answers to earlier requests are stale
  const take = (groups, since) => {
    const ids = [];
    for (const owner of [...groups]) {
      const runs = $$('.run', owner).filter((run) => !(told.get(run.id) > since));
      if (!runs.length) continue;
      if (!document.getElementById(owner.id)) {
        $('.runs', owner).replaceChildren();
        $('#groups').append(owner);
      }
      for (const run of runs) { ids.push(run.id); row(run, false); }
    }
    const empty = $('#empty');
    if (empty && $('.run')) empty.remove();
    localTimes($('#groups'));
    $$('.owner').forEach(rankOwner);
    sift();
    return ids;
  };
  const whole = async (path) => {
    const answer = await fetch(path);
    if (!answer.ok) throw new Error(answer.status);
    return new DOMParser().parseFromString(await answer.text(), 'text/html');
  };
  // an update has an unknown owner: load the list again, once for several of them
  let asking = null;
  const missing = () => {
    if (asking || !$('#groups')) return;
    const since = performance.now();
    asking = whole('/').then((page) => take(page.querySelectorAll('.owner'), since)).catch(() => {}).then(() => { asking = null; });
  };
  // load older runs in the background, page by page, until there are none
  const older = async (from, seen = () => {}) => {
    let before = from;
    while (before) {
      const since = performance.now();
      const answer = await fetch('/older?before=' + encodeURIComponent(before));
      if (!answer.ok) throw new Error(answer.status);
      seen(take(pieces(await answer.text()).children, since));
      before = answer.headers.get('Roost-Older');
      await new Promise((next) => setTimeout(next, 30));
    }
  };
  // the page may have missed updates: load everything, and remove runs that no longer exist
  const again = async () => {
    if (!$('#groups')) return;
    const before = $$('.run').map((run) => run.id);
    const there = new Set();
    const seen = (ids) => ids.forEach((id) => there.add(id));
    const since = performance.now();
    try {
      const page = await whole('/');
      seen(take(page.querySelectorAll('.owner'), since));
      await older(page.querySelector('#groups').dataset.older, seen);
      for (const id of before) {
        const run = document.getElementById(id);
        if (run && !there.has(id) && !(told.get(id) > since)) removed(run);
      }
    } catch { setTimeout(again, 2000); }
  };

  // ── a run's output ──
  const output = $('#output');
  const follow = $('#follow');
  const MOST = 1 << 20; // characters
  let held = output ? output.textContent.length : 0;
  const toEnd = () => { if (output && follow.checked) output.scrollTop = output.scrollHeight; };
  const say = (html) => {
    if (!output.dataset.said && output.textContent === 'There is no output.') output.textContent = '';
    output.dataset.said = '1';
    const fresh = pieces(html);
    held += fresh.textContent.length;
    output.append(fresh);
    while (held > MOST && output.childNodes.length > 1) {
      held -= output.firstChild.textContent.length;
      output.firstChild.remove();
    }
    toEnd();
  };
  if (output) {
    output.addEventListener('scroll', () => {
      const atEnd = output.scrollHeight - output.scrollTop - output.clientHeight < 40;
      if (follow.checked !== atEnd) follow.checked = atEnd;
    });
    follow.addEventListener('change', toEnd);
  }

  // ── keys and clicks ──
  const chosen = () => $('.run.chosen');
  const visible = () => $$('.run').filter((run) => run.offsetParent !== null);
  const choose = (step) => {
    const runs = visible();
    if (!runs.length) return;
    const now = runs.indexOf(chosen());
    const next = runs[Math.min(runs.length - 1, Math.max(0, now + step))];
    $$('.run.chosen').forEach((run) => run.classList.remove('chosen'));
    next.classList.add('chosen');
    $('a', next).focus();
    next.scrollIntoView({ block: 'nearest' });
  };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches('input:not([type=checkbox]), textarea');
    if (event.key === 'Escape') {
      if (field && (shown || field.value)) { shown = ''; field.value = ''; sift(); }
      if (typing) event.target.blur();
      return;
    }
    if (typing) {
      if (event.target === field && event.key === 'ArrowDown') { event.preventDefault(); choose(1); }
      if (event.target.id === 'message' && event.key === 'Enter' && !event.shiftKey) {
        event.preventDefault();
        event.target.form.requestSubmit();
      }
      return;
    }
    const actions = {
      '/': () => field && field.focus(),
      'j': () => choose(1), 'ArrowDown': () => choose(1), 'k': () => choose(-1), 'ArrowUp': () => choose(-1),
      'u': () => { location.href = '/'; },
      'm': () => $('#message') && $('#message').focus(),
      's': () => $('#stopping') && $('#stopping').showModal(),
      'f': () => { if (follow) { follow.checked = !follow.checked; toEnd(); } },
      't': otherTheme,
      '?': () => $('#help').showModal(),
    };
    const inList = (event.key.startsWith('Arrow')) && !field;
    const open = $('dialog[open]');
    if (actions[event.key] && !inList && !open) { event.preventDefault(); actions[event.key](); }
  });
  document.addEventListener('click', (event) => {
    const at = (selector) => event.target.closest(selector);
    const show = at('[data-show]');
    if (show) {
      shown = shown === show.dataset.show && show.matches('.tile') ? '' : show.dataset.show;
      sift();
      if (shown) $('.find').scrollIntoView({ block: 'nearest' });
    }
    if (at('.more')) { const owner = at('.owner'); owner.classList.add('open'); fold(owner); }
    if (at('#theme')) otherTheme();
    if (at('#keys')) $('#help').showModal();
    if (at('#stop')) $('#stopping').showModal();
    if (at('[data-close]')) at('dialog').close();
    if (at('[data-dismiss]')) { const away = $('#away'); localStorage.setItem('roost-away', away.dataset.pause); away.hidden = true; }
    if (at('[data-seen]')) {
      localStorage.setItem('roost-seen', JSON.stringify([...seen(), at('[data-dead]').dataset.dead].slice(-500)));
      dismissed();
    }
    const copy = at('.copy');
    if (copy) navigator.clipboard.writeText(copy.dataset.copy).then(() => {
      copy.textContent = 'copied';
      setTimeout(() => { copy.textContent = 'copy'; }, 1500);
    });
  });
  if (field) field.addEventListener('input', sift);
  document.addEventListener('htmx:afterRequest', (event) => {
    const form = event.detail.elt;
    if (event.detail.successful && form.reset) form.reset();
    const dialog = form.closest && form.closest('dialog');
    if (dialog) dialog.close();
    if (document.activeElement && form.contains(document.activeElement)) document.activeElement.blur();
    [...waiting.values()].forEach(region);
    clearTimeout(window.toastTimer);
    window.toastTimer = setTimeout(() => { $('#toast').textContent = ''; }, 6000);
  });
  document.addEventListener('htmx:sendError', () => {
    $('#toast').replaceChildren(Object.assign(document.createElement('p'), { className: 'bad', textContent: 'The daemon did not answer; nothing was done.' }));
  });

  localTimes(document);
  dismissed();
  titled();
  foldAll();
  toEnd();
  listen();
  if ($('#groups')) older($('#groups').dataset.older).catch(() => {});
})();
