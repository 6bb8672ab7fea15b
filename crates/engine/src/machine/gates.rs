//! Conditions that are not decided yet: a small circuit of AND and OR gates.
//!
//! A gate waits for its inputs and tells its waiters as soon as its value is certain, whatever the inputs
//! still missing. This is the dependency graph of chapter 7 of the XSQ thesis: a condition may outlive the
//! element it was asked for, and whoever decides it releases everything that waited.

/// The value of a condition now: known, or that of a gate (perhaps negated).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal(u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GateId(u32);

impl Signal {
    pub const FALSE: Signal = Signal(0);
    pub const TRUE: Signal = Signal(1);

    pub fn known(value: bool) -> Signal {
        Signal(u32::from(value))
    }

    pub fn of(gate: GateId) -> Signal {
        Signal((gate.0 + 1) << 1)
    }

    pub fn negate(self) -> Signal {
        Signal(self.0 ^ 1)
    }

    /// The gate and whether it is negated; None when the value is known.
    pub fn gate(self) -> Option<(GateId, bool)> {
        (self.0 > 1).then(|| (GateId((self.0 >> 1) - 1), self.0 & 1 == 1))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GateKind {
    And,
    Or,
}

/// Who is told of a gate's value.
#[derive(Clone, Copy, Debug)]
enum Waiter {
    Gate { id: GateId, negated: bool },
    Hit { id: u32, negated: bool },
}

struct Gate {
    kind: GateKind,
    value: Option<bool>,
    /// Inputs that have not reported, the open scope of an accumulator being one.
    pending: u32,
    /// Holders that may still ask for the value.
    holders: u32,
    waiters: Vec<Waiter>,
    /// Length of `waiters` at which the dead ones are looked for.
    purge_at: usize,
}

const FIRST_PURGE: usize = 32;

#[derive(Default)]
pub struct Gates {
    gates: Vec<Gate>,
    free: Vec<GateId>,
    work: Vec<(Waiter, bool)>,
    /// Hits whose condition became known, in the order in which it did.
    pub decided: Vec<(u32, bool)>,
}

impl Gates {
    pub fn clear(&mut self) {
        self.gates.clear();
        self.free.clear();
        self.work.clear();
        self.decided.clear();
    }

    pub fn live(&self) -> usize {
        self.gates.len() - self.free.len()
    }

    fn gate(&mut self, id: GateId) -> &mut Gate {
        &mut self.gates[id.0 as usize]
    }

    /// A gate with `pending` inputs still to report, held by the caller until `release`.
    pub fn create(&mut self, kind: GateKind, pending: u32) -> GateId {
        if let Some(id) = self.free.pop() {
            let gate = self.gate(id);
            gate.kind = kind;
            gate.value = None;
            gate.pending = pending;
            gate.holders = 1;
            gate.purge_at = FIRST_PURGE;
            return id;
        }
        let id = GateId(self.gates.len() as u32);
        self.gates.push(Gate { kind, value: None, pending, holders: 1, waiters: Vec::new(), purge_at: FIRST_PURGE });
        id
    }

    /// The signal as known by now.
    pub fn read(&self, signal: Signal) -> Signal {
        match signal.gate() {
            None => signal,
            Some((id, negated)) => match self.gates[id.0 as usize].value {
                Some(value) => Signal::known(value != negated),
                None => signal,
            },
        }
    }

    pub fn is_decided(&self, id: GateId) -> bool {
        self.gates[id.0 as usize].value.is_some()
    }

    pub fn hold(&mut self, signal: Signal) {
        if let Some((id, _)) = signal.gate() {
            self.gate(id).holders += 1;
        }
    }

    pub fn release(&mut self, signal: Signal) {
        if let Some((id, _)) = signal.gate() {
            self.gate(id).holders -= 1;
            self.reclaim(id);
        }
    }

    fn reclaim(&mut self, id: GateId) {
        let gate = self.gate(id);
        if gate.holders == 0 && gate.pending == 0 && gate.value.is_some() {
            gate.waiters.clear();
            self.free.push(id);
        }
    }

    /// Combines signals; a new gate is made only when two or more are undecided. The result is held by the caller.
    pub fn combine(&mut self, kind: GateKind, signals: &[Signal]) -> Signal {
        let decisive = Signal::known(kind == GateKind::Or);
        let mut waiting = 0;
        let mut last = decisive.negate();
        for &signal in signals {
            let now = self.read(signal);
            if now == decisive {
                return decisive;
            }
            if now.gate().is_some() {
                waiting += 1;
                last = now;
            }
        }
        if waiting <= 1 {
            self.hold(last);
            return last;
        }
        let id = self.create(kind, 0);
        for &signal in signals {
            let now = self.read(signal);
            if now.gate().is_some() {
                self.connect(now, id);
            }
        }
        Signal::of(id)
    }

    /// Makes an undecided signal one more input of a gate.
    pub fn connect(&mut self, input: Signal, gate: GateId) {
        if let Some((id, negated)) = input.gate() {
            self.gate(gate).pending += 1;
            self.add_waiter(id, Waiter::Gate { id: gate, negated });
        }
    }

    /// The hit hears when the undecided signal is decided.
    pub fn notify(&mut self, signal: Signal, hit: u32) {
        if let Some((id, negated)) = signal.gate() {
            self.add_waiter(id, Waiter::Hit { id: hit, negated });
        }
    }

    fn add_waiter(&mut self, id: GateId, waiter: Waiter) {
        let gate = self.gate(id);
        gate.waiters.push(waiter);
        if gate.waiters.len() >= gate.purge_at {
            self.purge(id);
        }
    }

    /// Forgets waiters that were decided by something else: a long-lived condition (`/feed/zz`) would
    /// otherwise collect one for every record that went by.
    fn purge(&mut self, id: GateId) {
        let mut waiters = std::mem::take(&mut self.gate(id).waiters);
        waiters.retain(|waiter| match *waiter {
            Waiter::Gate { id, .. } if self.is_decided(id) => {
                self.gate(id).pending -= 1;
                self.reclaim(id);
                false
            }
            _ => true,
        });
        let gate = self.gate(id);
        gate.purge_at = (waiters.len() * 2).max(FIRST_PURGE);
        gate.waiters = waiters;
    }

    /// The scope of an accumulator ends: what has not come will not come. Gives up the caller's hold.
    pub fn close(&mut self, id: GateId) {
        self.report(id, false);
        self.release(Signal::of(id));
    }

    /// One input of the gate has this value; the consequences are drawn at once.
    pub fn report(&mut self, id: GateId, value: bool) {
        self.input(id, value);
        self.propagate();
    }

    fn propagate(&mut self) {
        while let Some((waiter, value)) = self.work.pop() {
            match waiter {
                Waiter::Gate { id, negated } => self.input(id, value != negated),
                Waiter::Hit { id, negated } => self.decided.push((id, value != negated)),
            }
        }
    }

    /// The gate's value is known, whatever its inputs will say.
    pub fn decide(&mut self, id: GateId, value: bool) {
        if !self.is_decided(id) {
            self.set(id, value);
            self.propagate();
        }
    }

    fn set(&mut self, id: GateId, value: bool) {
        let gate = &mut self.gates[id.0 as usize];
        gate.value = Some(value);
        // The work is a stack: whoever waited first is told first.
        for waiter in gate.waiters.drain(..).rev() {
            self.work.push((waiter, value));
        }
    }

    fn input(&mut self, id: GateId, value: bool) {
        let gate = self.gate(id);
        gate.pending -= 1;
        let decisive = gate.kind == GateKind::Or;
        if gate.value.is_none() && (value == decisive || gate.pending == 0) {
            self.set(id, value);
        }
        self.reclaim(id);
    }
}

impl Gates {
    /// The disjunction of the signals in `stack` from `first` on, which are taken off it. Held by the caller.
    pub fn any(&mut self, stack: &mut Vec<Signal>, first: usize) -> Signal {
        let result = self.combine(GateKind::Or, &stack[first..]);
        stack.truncate(first);
        result
    }
}
