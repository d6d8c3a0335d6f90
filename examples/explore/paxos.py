"""Paxos with two proposers, three acceptors and a learner; and with an acceptor that promises what it does not keep.

    gristmill explore examples/explore/paxos.py --workers 2
    gristmill explore examples/explore/paxos.py:faulty --por static
"""

from gristmill.bench.dbss.paxos import CredulousAcceptor, paxos

system = paxos()
faulty = paxos(faulty=CredulousAcceptor)
