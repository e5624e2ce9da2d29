// Roost in OpenCode: tells the daemon what a session does, puts before it what became of its background runs, and wakes it
// when that surprises nobody. Whatever goes wrong here, the session goes on: every hook has a deadline and swallows its errors.
import net from "node:net"
import os from "node:os"
import path from "node:path"
import { spawn } from "node:child_process"

const DEADLINE_MS = 500
const SECONDS_TO_START = 5

const home =
  process.env.ROOST_HOME || path.join(process.env.XDG_STATE_HOME || path.join(os.homedir(), ".local", "state"), "roost")
// a session of `opencode run` ends with its turn: what is sent to it then is lost
const attended = process.argv[2] !== "run"

const within = (ms, promise) =>
  Promise.race([promise, new Promise((_, reject) => setTimeout(() => reject(new Error("too late")), ms).unref?.())])

const careful =
  (hook) =>
  async (...given) => {
    try {
      await within(DEADLINE_MS, hook(...given))
    } catch {
      // the session goes on without us
    }
  }

/** A connection to the daemon: lines in both directions. */
class Connection {
  constructor() {
    this.lines = []
    this.waiting = []
    this.over = false
    this.socket = net.createConnection(path.join(home, "roost.sock"))
    this.socket.setEncoding("utf8")
    this.socket.unref?.()
    let rest = ""
    this.socket.on("data", (text) => {
      const parts = (rest + text).split("\n")
      rest = parts.pop()
      for (const line of parts) this.waiting.length ? this.waiting.shift()(line) : this.lines.push(line)
    })
    const end = () => {
      this.over = true
      for (const told of this.waiting.splice(0)) told(undefined)
    }
    this.socket.on("error", end)
    this.socket.on("close", end)
  }
  send(line) {
    this.socket.write(line + "\n")
  }
  /** The next line; undefined if there is none any more. */
  next() {
    if (this.lines.length) return Promise.resolve(this.lines.shift())
    if (this.over) return Promise.resolve(undefined)
    return new Promise((resolve) => this.waiting.push(resolve))
  }
  close() {
    this.socket.destroy()
  }
}

const request = (method, event, input) =>
  JSON.stringify({
    method,
    params: { harness: "opencode", event, harness_pid: process.pid, input: JSON.stringify(input) },
  })

/** Says that what the daemon sent has been put before the session, and returns once that is written down. */
const confirming = (connection) => async () => {
  connection.send("written")
  await connection.next()
}

/** One report after the other, in the order in which they were made. */
let before = Promise.resolve()
const report = (...given) => {
  const turn = before.then(() => tell(...given))
  before = within(10_000, turn).catch(() => {}) // one that hangs must not hold up the rest for ever
  return turn
}

/** Reports an event. `use` is given what is to be put before the session, and calls `done` once it is. */
async function tell(event, input, use) {
  const connection = new Connection()
  try {
    connection.send(request("hook", event, input))
    const line = await connection.next()
    if (line === undefined) return false
    const text = JSON.parse(line).text
    if (text && use) await use(text, confirming(connection))
    return true
  } finally {
    connection.close()
  }
}

function startDaemon(program) {
  return new Promise((resolve) => {
    const child = spawn(program, ["daemon", "start"], { stdio: "ignore" })
    child.on("error", () => resolve())
    child.on("exit", () => resolve())
    setTimeout(resolve, SECONDS_TO_START * 1000).unref?.()
  })
}

export default async ({ client, directory }) => {
  const sessions = new Map() // by id: root, agent, model, begun, waker
  const nonces = new Map() // of wakes on their way: what to do once they are seen to arrive

  const session = async (id) => {
    let known = sessions.get(id)
    if (!known) {
      const found = await client.session.get({ path: { id } }).catch(() => undefined)
      const parent = found?.data?.parentID
      known = { id, root: parent ? (await session(parent)).root : id, begun: false }
      sessions.set(id, known)
    }
    return known
  }

  const facts = (id, more) => ({ session_id: id, cwd: directory, attended, ...more })

  const say = (at, text) =>
    client.session.promptAsync({
      path: { id: at.id },
      body: { agent: at.agent, model: at.model, parts: [{ type: "text", text, synthetic: true }] },
    })

  /** Another turn, of which it is known only when its text comes by that it has begun. */
  const begin = (at, text, arrived) => {
    const nonce = /<roost-notice id="([^"]+)"/.exec(text)?.[1]
    return new Promise((resolve, reject) => {
      nonces.set(nonce, () => arrived().then(resolve, reject))
      say(at, text).catch(reject)
    })
  }

  /** Waits beside an idle session until it is to be woken. */
  const listen = async (at) => {
    at.waker?.close()
    const waker = (at.waker = new Connection())
    waker.send(request("wake", "Wake", facts(at.id)))
    const lines = []
    for (let line = await waker.next(); line !== undefined && line !== ".end"; line = await waker.next()) lines.push(line)
    if (lines.length && at.waker === waker) {
      await begin(at, lines.join("\n"), confirming(waker))
    }
    waker.close()
  }

  const idle = async (id) => {
    const at = await session(id)
    if (at.root !== id || !at.busy) return // a sub-agent; or told twice
    at.busy = false
    let told = false
    await report("idle", facts(id), (text, done) => {
      told = true
      return begin(at, text, done)
    })
    if (!told && attended) listen(at).catch(() => {})
  }

  let unreachable = false

  return {
    config: async (config) => {
      try {
        const program = config.mcp?.roost?.command?.[0] ?? "roost"
        await within(SECONDS_TO_START * 1000, report("hello", {}).then((there) => there || startDaemon(program)))
      } catch {
        // the first prompt says so
      }
    },

    "chat.message": careful(async (input, output) => {
      const at = await session(input.sessionID)
      if (at.root !== at.id) return
      const last = output.parts.findLast((part) => part.type === "text")
      if (!last) return
      at.agent = output.message?.agent ?? at.agent
      at.model = output.message?.model ?? at.model
      at.busy = true
      const own = /<roost-notice id="([^"]+)"/.exec(last.text)?.[1]
      if (own) {
        const arrived = nonces.get(own)
        nonces.delete(own)
        await arrived?.()
      }
      let n = 0
      const add = async (text, done) => {
        const id = last.id + String.fromCharCode(97 + n++) // parts are sorted by id
        output.parts.push({ id, sessionID: last.sessionID, messageID: last.messageID, type: "text", synthetic: true, text })
        await done?.()
      }
      let there = true
      if (!at.begun) there = await report("start", facts(at.id), add)
      at.begun = true
      there = (await report("prompt", facts(at.id, { prompt: last.text }), add)) && there
      if (!there && !unreachable) {
        await add(
          "<roost-notice>\nThe Roost daemon cannot be reached, so the state of your background runs is unknown. Do not assume " +
            "that they finished. `roost daemon start` in a shell shows why.\n</roost-notice>",
        )
      }
      unreachable = !there
    }),

    "tool.execute.before": careful(async (input, output) => {
      if (input.tool.startsWith("roost_")) output.args._session = (await session(input.sessionID)).root
    }),

    "tool.execute.after": careful(async (input, output) => {
      const at = await session(input.sessionID)
      if (at.root !== at.id) return
      await report("tools", facts(at.id), async (text, done) => {
        if (Array.isArray(output.content)) output.content.push({ type: "text", text })
        else output.output = `${output.output ?? ""}\n\n${text}`
        await done()
      })
    }),

    "shell.env": careful(async (input, output) => {
      if (input.sessionID) output.env.ROOST_OWNER = `opencode:${(await session(input.sessionID)).root}`
    }),

    event: async ({ event }) => {
      try {
        const id = event.properties?.sessionID
        if (event.type === "session.idle") await idle(id)
        if (event.type === "session.error" && event.properties?.error?.name === "MessageAbortedError") {
          const at = await session(id)
          at.busy = false
          if (at.root === id) await report("interrupted", facts(id))
        }
        if (event.type === "session.deleted") await report("end", facts(event.properties?.info?.id ?? id))
      } catch {
        // not for the user to see
      }
    },

    dispose: careful(async () => {
      for (const at of sessions.values()) {
        at.waker?.close()
        if (at.root === at.id && at.begun) await report("end", facts(at.id))
      }
    }),
  }
}
